import ArgumentParser
import CommandSupport
import Foundation
import KeyValueStore
import Replication
import TidelineCore

/// The file or folder that a command is about.
struct PathArgument: ParsableArguments {
    @Argument(help: "The store: a package, or one file.", completion: .file())
    var path: String
}

struct JSONFlag: ParsableArguments {
    @Flag(name: .long, help: "Print JSON, keys sorted; a list is one object a line.")
    var json = false
}

/// VALUE, the last argument of a command, which may begin with a dash: `-5` is not an option.
///
/// A command with such an argument has no short `-h`, as its configuration's `helpNames` say: that
/// is a value too.
struct ValueArgument: ParsableArguments {
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp(
            """
            The value; with --as plist the file that holds it, - for standard input. One that \
            begins with two dashes follows on --.
            """, valueName: "value"))
    var words: [String] = []

    var text: String { GivenWords(words).words.last ?? "" }

    func validate() throws {
        guard try !GivenWords(words).checked().isEmpty else {
            throw ValidationError("Missing expected argument '<value>'")
        }
    }
}

/// The words that the parser took for no option and no other argument, in their order.
struct GivenWords {
    /// Without the mark `--`.
    let words: [String]
    private let count: Int
    private let marked: ArraySlice<String>

    /// - Parameters:
    ///   - words: Where the mark stands among them or right before them it is one of them; where it
    ///     stands before another argument, it is not.
    ///   - count: How many there can be.
    init(_ words: [String], count: Int = 1) {
        marked = CommandLine.arguments.drop { $0 != "--" }.dropFirst()
        self.count = count
        var words = words
        if let mark = words.firstIndex(of: "--"), words.count > count || !marked.contains("--") {
            words.remove(at: mark)
        }
        self.words = words
    }

    /// The words, no more than there can be.
    func checked() throws -> [String] {
        if let option = words.first(where: { $0.hasPrefix("--") && !marked.contains($0) }) {
            throw ValidationError("Unknown option '\(option)'")
        }
        guard words.count <= count else {
            throw ValidationError(
                "\(words.count) values are given, beginning with '\(words[0])'"
                    + (count == 1 ? "" : "; there are \(count)"))
        }
        return words
    }
}

/// A value given on the command line, with its type.
struct ValueOption: ParsableArguments {
    @Option(
        name: .customLong("as"),
        help: "The type of VALUE: string, integer, real, boolean, date, data, json, plist.")
    var type = "string"
}

/// TIME on the command line: ISO 8601, or microseconds since 2001-01-01T00:00:00Z.
struct TimeArgument: ExpressibleByArgument {
    let timestamp: Timestamp

    init?(argument: String) {
        guard let timestamp = try? Timestamp(parsing: argument) else { return nil }
        self.timestamp = timestamp
    }

    /// What is said of an option that takes one.
    static func help(_ abstract: String) -> ArgumentHelp {
        ArgumentHelp(
            "\(abstract): 2026-11-21T09:15:00Z, or microseconds since 2001.", valueName: "time")
    }
}

extension ValueOption {
    /// The value that the command line gives by type and text.
    func value(_ text: String) throws -> PropertyList {
        if type == "plist" { return try InputFile.propertyList(text) }
        let typed = try TypedText(argument: text, as: type, of: TypedText.Kind.ofValues)
        return try Failure.of("--as \(type)") { try typed.propertyList() }
    }
}

extension InputFile {
    /// The value that a property list in a file is.
    fileprivate static func propertyList(_ path: String) throws -> PropertyList {
        try read(path) { try PropertyList(propertyListFile: $0) }
    }
}

extension TypedText.Kind {
    /// What every store has values of.
    static let ofValues: [Self] = [.string, .integer, .real, .boolean, .date, .data, .json]
}

extension TypedText {
    /// A value of the command line; with the type `plist` what is in the file that it names.
    init(argument text: String, as type: String, of kinds: [Kind]) throws {
        guard type != "plist" else {
            self.init(try InputFile.propertyList(text))
            return
        }
        guard let kind = Kind(rawValue: type), kinds.contains(kind) else {
            throw Failure(
                .usage, "--as \(type)", "no such type",
                wayOut: "There are: \(kinds.map(\.rawValue).joined(separator: ", ")), plist.")
        }
        self.init(kind, text)
    }
}
