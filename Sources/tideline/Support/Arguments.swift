import ArgumentParser
import CommandSupport
import Foundation
import KeyValueStore
import Replication
import TidelineCore

/// The file or folder of a command.
struct PathArgument: ParsableArguments {
    @Argument(
        help: "The store: a package or a file.", completion: .file(), transform: PathWord.path)
    var path: String

    /// Returns the device that a user names, by identifier or by the name that is shown for it.
    func device(named text: String) throws -> DeviceID {
        let package = try? StoreKind.package(at: path)
        return try package?.device(named: text) ?? DeviceID(text)
    }
}

struct JSONFlag: ParsableArguments {
    @Flag(name: .long, help: "Print JSON with sorted keys; lists have one object per line.")
    var json = false
}

/// The last arguments of a command. They can start with a dash, like `-5` and some identifiers.
///
/// All of them are parsed as one argument. If they were separate arguments, a word that starts with
/// a dash would always become the last one. The command has no short option `-h`, because `-h` can
/// also be such an argument (see `helpNames` of its configuration).
struct LastArguments<Names: ArgumentNames>: ParsableArguments {
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp(Names.help, valueName: Names.names.joined(separator: "> <")))
    var words: [String] = []

    var text: String { ArgumentWords(words, count: Names.names.count).words.last ?? "" }

    func validate() throws { _ = try texts() }

    /// Returns the arguments, one for each name.
    func texts() throws -> [String] {
        try ArgumentWords(words, count: Names.names.count).require(Names.names)
    }
}

/// The names and the help of ``LastArguments``.
protocol ArgumentNames {
    static var names: [String] { get }
    static var help: String { get }
}

enum ValueName: ArgumentNames {
    static let names = ["value"]
    static let help = """
        The value; with --as plist a file, or - for standard input. Put -- before a value that \
        starts with two dashes.
        """
}

enum IdentifierName: ArgumentNames {
    static let names = ["id"]
    static let help = "The identifier."
}

enum KeyName: ArgumentNames {
    static let names = ["key"]
    static let help = "The key."
}

/// The words that the parser recognized neither as options nor as other arguments, in order.
struct ArgumentWords {
    /// The words without the separator `--`.
    let words: [String]
    private let count: Int
    private let marked: ArraySlice<String>

    /// Removes the separator `--`.
    ///
    /// - Parameters:
    ///   - words: The words. The parser keeps a separator that is between or right before them, and
    ///     removes a separator before another argument.
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

    /// Returns the words. Throws an error if there are too many words, or if a word is an unknown
    /// option.
    func checked() throws -> [String] {
        if let option = words.first(where: { $0.hasPrefix("--") && !marked.contains($0) }) {
            throw ValidationError("Unknown option '\(option)'")
        }
        guard words.count <= count else {
            throw ValidationError(
                "\(words.count) values given, starting with '\(words[0])'; expected \(count)")
        }
        return words
    }
}

/// The types that `--as` accepts in every command.
enum CommonTypes: ValueTypes {
    static let kinds = TypedText.Kind.ofValues
    static let help = list
}

/// The types of the columns of tables.
enum ColumnTypes: ValueTypes {
    static let kinds = TypedText.Kind.ofValues + [.null]
    static let help = "\(list), null"
}

/// The types of the values in documents.
enum DocumentTypes: ValueTypes {
    static let kinds =
        TypedText.Kind.ofValues + [.counter, .timestamp, .text, .map, .list, .null]
    static let help = """
        \(list), counter, timestamp (a date, or milliseconds since 1970), text (for concurrent \
        editing; only the differences from an existing text are written), map or list (as JSON), \
        null
        """
}

/// The types of values that a command accepts, apart from `plist`, and their list in the help.
protocol ValueTypes {
    static var kinds: [TypedText.Kind] { get }
    static var help: String { get }
}

extension ValueTypes {
    /// The list of the types that every command accepts.
    static var list: String { "string, integer, real, boolean, date, bytes (base64), json, plist" }
}

typealias ValueOption = TypeOption<CommonTypes>

/// The type of a value on the command line.
struct TypeOption<Types: ValueTypes>: ParsableArguments {
    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            """
            The type of VALUE: \(Types.help) (default: string). With --as, the value - is read \
            from standard input.
            """,
            valueName: "type"))
    private var given: String?

    var type: String { given ?? "string" }
    /// Whether the user specified the type.
    var isGiven: Bool { given != nil }

    /// Returns the typed text: VALUE, or standard input for `-` if a type is given. Removes line
    /// breaks at the start and the end of standard input, except for a string or a text.
    fileprivate func text(_ value: String) throws -> String {
        // Null has no text to read.
        guard value == "-", given != nil, type != TypedText.Kind.null.rawValue else { return value }
        let data = try InputFile.data("-")
        guard let text = String(validating: data, as: UTF8.self) else {
            throw Failure(.badData, "standard input", "not UTF-8 text")
        }
        let isWhole = type == TypedText.Kind.string.rawValue || type == TypedText.Kind.text.rawValue
        return isWhole ? text : text.trimmingCharacters(in: .newlines)
    }
}

/// TIME on the command line, in the forms of ``TypedTime``. Days and times without a zone are UTC,
/// as in the output of commands.
struct TimeArgument {
    let timestamp: Timestamp

    /// Parses a time. Refuses a number that is probably a Unix time, because it would mean a time
    /// in 2001, when stores were empty.
    static func parse(_ text: String) throws -> TimeArgument {
        if let problem = TypedTime.unixTimeProblem(of: text) {
            throw ValidationError("it \(problem)")
        }
        let now = Timestamp(Date())
        guard let timestamp = TypedTime.instant(in: text, now: now, offset: 0) else {
            throw ValidationError("it is not a time")
        }
        return TimeArgument(timestamp: timestamp)
    }

    /// Returns the help of an option that takes a time.
    static func help(_ abstract: String) -> ArgumentHelp {
        ArgumentHelp(
            "\(abstract): 2026-11-21T09:15:00Z, a day, an age (10m, 7d), or microseconds since 2001.",
            valueName: "time")
    }
}

extension TypeOption {
    /// Parses the value of a key with the given type.
    func value(_ text: String) throws -> PropertyList {
        if type == "plist" { return try InputFile.propertyList(text) }
        let typed = try typed(text)
        return try Failure.of("--as \(type)") { try typed.value() }
    }

    /// Parses a value. If the type is `plist`, reads the value from a file.
    func typed(_ text: String) throws -> TypedText {
        guard type != "plist" else { return TypedText(try InputFile.propertyList(text)) }
        guard let kind = TypedText.Kind(named: type), Types.kinds.contains(kind) else {
            let names = Types.kinds.map(\.title).joined(separator: ", ")
            throw Failure(
                .invalidRequest, "--as \(type)", "unknown type",
                suggestion: "choose one of \(names), plist")
        }
        return TypedText(kind, try self.text(text))
    }
}

extension InputFile {
    fileprivate static func propertyList(_ path: String) throws -> PropertyList {
        try read(path) { try PropertyList(propertyListFile: $0) }
    }
}

extension TypedText.Kind {
    /// The types that every store supports.
    static let ofValues: [Self] = [.string, .integer, .real, .boolean, .date, .data, .json]
}
