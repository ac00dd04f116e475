import ArgumentParser
import CommandSupport
import Foundation
import KeyValueStore
import Replication
import TidelineCore

/// The file or folder of a command.
struct PathArgument: ParsableArguments {
    @Argument(help: "The store: a package or a file.", completion: .file())
    var path: String
}

struct JSONFlag: ParsableArguments {
    @Flag(name: .long, help: "Print JSON with sorted keys; lists have one object per line.")
    var json = false
}

/// VALUE, the last argument of a command, which can start with a dash: `-5` is not an option.
///
/// A command with such an argument has no short option `-h`, because that can be a value too (see
/// `helpNames` of its configuration).
struct ValueArgument: ParsableArguments {
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp(
            """
            The value; with --as plist a file, or - for standard input. Put -- before a value that \
            starts with two dashes.
            """, valueName: "value"))
    var words: [String] = []

    var text: String { GivenWords(words).words.last ?? "" }

    func validate() throws {
        guard try !GivenWords(words).checked().isEmpty else {
            throw ValidationError("Missing expected argument '<value>'")
        }
    }
}

/// The identifier that a command is about, its last argument. It can start with a dash, as random
/// identifiers do.
///
/// A command with such an argument has no short `-h`, as its configuration's `helpNames` say.
struct IdentifierArgument: ParsableArguments {
    @Argument(
        parsing: .allUnrecognized, help: ArgumentHelp("The identifier.", valueName: "id"))
    var words: [String] = []

    var text: String { GivenWords(words).words.last ?? "" }

    func validate() throws { try GivenWords(words).require(["id"]) }
}

/// The key that a command is about, its last argument. It can start with a dash, like an
/// ``IdentifierArgument``.
struct KeyArgument: ParsableArguments {
    @Argument(parsing: .allUnrecognized, help: ArgumentHelp("The key.", valueName: "key"))
    var words: [String] = []

    var text: String { GivenWords(words).words.last ?? "" }

    func validate() throws { try GivenWords(words).require(["key"]) }
}

/// The words that the parser took neither for options nor for other arguments, in order.
struct GivenWords {
    /// The words without the separator `--`.
    let words: [String]
    private let count: Int
    private let marked: ArraySlice<String>

    /// - Parameters:
    ///   - words: The words. They include the separator if it is among them or right before them,
    ///     but not if it is before another argument.
    ///   - count: The maximum number of words.
    init(_ words: [String], count: Int = 1) {
        marked = CommandLine.arguments.drop { $0 != "--" }.dropFirst()
        self.count = count
        var words = words
        if let mark = words.firstIndex(of: "--"), words.count > count || !marked.contains("--") {
            words.remove(at: mark)
        }
        self.words = words
    }

    /// Checks that there is a word for each name, and returns the words.
    @discardableResult
    func require(_ names: [String]) throws -> [String] {
        let words = try checked()
        guard words.count >= names.count else {
            throw ValidationError("Missing expected argument '<\(names[words.count])>'")
        }
        return words
    }

    /// Returns the words, or throws if there are too many.
    func checked() throws -> [String] {
        if let option = words.first(where: { $0.hasPrefix("--") && !marked.contains($0) }) {
            throw ValidationError("Unknown option '\(option)'")
        }
        guard words.count <= count else {
            throw ValidationError(
                "\(words.count) values given, starting with '\(words[0])'"
                    + (count == 1 ? "" : "; expected \(count)"))
        }
        return words
    }
}

/// A value on the command line with its type.
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

    /// Returns the help of an option that takes a time.
    static func help(_ abstract: String) -> ArgumentHelp {
        ArgumentHelp(
            "\(abstract): 2026-11-21T09:15:00Z, or microseconds since 2001.", valueName: "time")
    }
}

extension ValueOption {
    /// Parses the value of a key with the given type.
    func value(_ text: String) throws -> PropertyList {
        if type == "plist" { return try InputFile.propertyList(text) }
        let typed = try TypedText(argument: text, as: type, of: TypedText.Kind.ofValues)
        return try Failure.of("--as \(type)") { try typed.propertyList() }
    }
}

extension InputFile {
    /// Reads a property list from a file.
    fileprivate static func propertyList(_ path: String) throws -> PropertyList {
        try read(path) { try PropertyList(propertyListFile: $0) }
    }
}

extension TypedText.Kind {
    /// The types that every store supports.
    static let ofValues: [Self] = [.string, .integer, .real, .boolean, .date, .data, .json]
}

extension TypedText {
    /// Parses a value; with the type `plist`, reads it from a file.
    init(argument text: String, as type: String, of kinds: [Kind]) throws {
        guard type != "plist" else {
            self.init(try InputFile.propertyList(text))
            return
        }
        guard let kind = Kind(rawValue: type), kinds.contains(kind) else {
            throw Failure(
                .usage, "--as \(type)", "unknown type",
                suggestion: "choose one of \(kinds.map(\.rawValue).joined(separator: ", ")), plist")
        }
        self.init(kind, text)
    }
}
