import ArgumentParser
import CommandSupport
import Replication
import TidelineCore

/// POINTER, the target of a command in a document.
struct PointerArgument: ParsableArguments {
    @Argument(
        help: "A JSON Pointer such as /todos/0/title. With docs set, /todos/- appends to the list.")
    var pointer: String
}

struct SetInDocument: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Set the value of a key or an item.",
        discussion: """
            Example: tideline docs set Notes.store DOC /todos/0/done true --as boolean
            """, helpNames: .long)

    @OptionGroup var document: WrittenDocument
    @OptionGroup var place: PointerArgument
    @OptionGroup var value: LastArguments<ValueName>
    @OptionGroup var type: TypeOption<DocumentTypes>
    @OptionGroup var device: DeviceOption

    func run() async throws {
        let value = try type.typed(value.text)
        try await document.edit(as: device, "set", place) { [isTyped = type.isGiven] view, place in
            if !isTyped, let old = try view.typeName(at: place) {
                Warnings.reportString(replacing: old, at: place)
            }
            try view.set(value, at: place)
        }
    }
}

struct DeleteInDocument: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete-at",
        abstract: "Delete a key or an item.",
        discussion: "Example: tideline docs delete-at Notes.store DOC /todos/0")

    @OptionGroup var document: WrittenDocument
    @OptionGroup var place: PointerArgument
    @OptionGroup var device: DeviceOption

    func run() async throws {
        try await document.edit(as: device, "delete", place) { try $0.delete(at: $1) }
    }
}

struct IncrementInDocument: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "increment",
        abstract: "Add to a counter. Concurrent additions add up.",
        discussion: "Example: tideline docs increment Notes.store DOC /count -1",
        helpNames: .long)

    @OptionGroup var document: WrittenDocument
    @OptionGroup var place: PointerArgument
    @OptionGroup var amount: LastArguments<AmountName>
    @OptionGroup var device: DeviceOption

    enum AmountName: ArgumentNames {
        static let names = ["value"]
        static let help = "The integer to add. It can be negative."
    }

    func run() async throws {
        guard let number = Int64(amount.text) else {
            throw Failure(.invalidRequest, amount.text.quoted, "not an integer of at most 64 bits")
        }
        try await document.edit(as: device, "increment", place) {
            try $0.increment(at: $1, by: number)
        }
    }
}

struct SpliceInDocument: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "splice",
        abstract: "Replace a part of a text.",
        usage: """
            tideline docs splice <path> <doc> <pointer> <pos> <delete> <text> [--device <device>]
            """,
        discussion: """
            POS and DELETE count Unicode code points.

            Example: tideline docs splice Notes.store DOC /body 4 0 "new "
            """, helpNames: .long)

    @OptionGroup var document: WrittenDocument
    @OptionGroup var place: PointerArgument
    @OptionGroup var words: LastArguments<Words>
    @OptionGroup var device: DeviceOption

    enum Words: ArgumentNames {
        static let names = ["pos", "delete", "text"]
        static let help = """
            The position, the number of characters to delete, and the text to insert. Put -- \
            before a text that starts with two dashes.
            """
    }

    func validate() throws {
        for (name, word) in zip(Words.names.dropLast(), try words.texts())
        where UInt64(word) == nil {
            throw ValidationError(
                "<\(name)> must be a number of characters, 0 or more, not '\(word)'")
        }
    }

    func run() async throws {
        let words = try words.texts()
        guard let position = UInt64(words[0]), let delete = UInt64(words[1]) else { return }
        try await document.edit(as: device, "edit", place) {
            try $0.splice(at: $1, position: position, deleting: delete, inserting: words[2])
        }
    }
}
