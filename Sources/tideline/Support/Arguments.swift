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
struct ValueArgument: ParsableArguments {
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp(
            """
            The value; with --as plist the file that holds it, - for standard input. One that \
            begins with two dashes follows on --.
            """, valueName: "value"))
    var words: [String] = []

    /// What a person gave, without the mark that nothing after it is an option.
    private var given: [String] { words.first == "--" ? Array(words.dropFirst()) : words }
    var text: String { given.last ?? "" }

    func validate() throws {
        if words.first != "--", let option = words.first(where: { $0.hasPrefix("--") }) {
            throw ValidationError("Unknown option '\(option)'")
        }
        guard let first = given.first else {
            throw ValidationError("Missing expected argument '<value>'")
        }
        guard given.count == 1 else {
            throw ValidationError("\(given.count) values are given, beginning with '\(first)'")
        }
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
}

extension ValueOption {
    /// The value that the command line gives by type and text.
    func value(_ text: String) throws -> PropertyList {
        if type == "plist" {
            return try InputFile.read(text) { try PropertyList(propertyListFile: $0) }
        }
        let kinds: [TypedText.Kind] = [.string, .integer, .real, .boolean, .date, .data, .json]
        guard let kind = TypedText.Kind(rawValue: type), kinds.contains(kind) else {
            throw Failure(
                .usage, "--as \(type)", "no such type",
                wayOut: "There are: \(kinds.map(\.rawValue).joined(separator: ", ")), plist.")
        }
        return try Failure.of("--as \(type)") { try TypedText(kind, text).propertyList() }
    }
}
