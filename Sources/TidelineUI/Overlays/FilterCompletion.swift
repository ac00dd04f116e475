import Foundation
import Replication
import TidelineCore

/// Completions for the word at the cursor in a filter.
struct FilterCompletion: Completion, Hashable, Sendable {
    var range: Range<Int>
    var words: [String]
    var chosen: Int?

    private static let limit = 300

    /// Finds completions at the cursor; `nil` if nothing can be completed.
    init?(
        of characters: [Character], at cursor: Int, fields: [FilterField],
        values: (FilterField) -> [String]
    ) {
        let start = Self.wordStart(in: characters, at: cursor)
        let word = characters[start..<cursor]
        range = start..<cursor
        guard let sign = word.firstIndex(where: Self.isSign) else {
            let typed = String(word).lowercased()
            words = fields.compactMap { field in
                field.names.first { $0.lowercased().hasPrefix(typed) }
                    .map { Self.term($0, of: field.kind) }
            }
            if words.isEmpty { return nil }
            return
        }
        guard ":=".contains(characters[sign]),
            let field = FilterField.named(String(word[..<sign]), in: fields)
        else { return nil }
        range = sign + 1..<cursor
        var typed = characters[range]
        if typed.first == "\"" { typed = typed.dropFirst() }
        if typed.last == "\"" { typed = typed.dropLast() }
        let text = String(typed).lowercased()
        let all: [String] =
            if case .choice(let choices) = field.kind { choices } else { values(field) }
        words = all.filter { $0.lowercased().hasPrefix(text) }.uniqued()
            .prefix(Self.limit).map(Self.quoted)
        if words.isEmpty || words == [String(characters[range])] { return nil }
    }

    /// Returns whether a character is part of a comparison.
    private static func isSign(_ character: Character) -> Bool {
        FilterField.comparisonSigns.contains(character)
    }

    private static func wordStart(in characters: [Character], at cursor: Int) -> Int {
        var start = 0
        var isQuoted = false
        for (index, character) in characters[..<min(cursor, characters.count)].enumerated() {
            if character == "\"" { isQuoted.toggle() }
            if !isQuoted, " (|".contains(character) { start = index + 1 }
        }
        while start < cursor, characters[start] == "-" { start += 1 }
        return start
    }

    /// Returns the filter without the term being typed, to count the rows that the other terms
    /// match. The result is empty if the filter isn't a plain list of terms.
    static func rest(of characters: [Character], at cursor: Int) -> String {
        guard !characters.contains(where: { "()|".contains($0) }) else { return "" }
        var start = wordStart(in: characters, at: cursor)
        while start > 0, characters[start - 1] == "-" { start -= 1 }
        let end = characters[cursor...].firstIndex(of: " ") ?? characters.count
        return String(characters[..<start] + characters[end...])
            .trimmingCharacters(in: .whitespaces)
    }

    /// Returns whether the term at the cursor is a field without a value.
    static func lacksValue(
        in characters: [Character], at cursor: Int, fields: [FilterField]
    ) -> Bool {
        let word = characters[wordStart(in: characters, at: cursor)..<cursor]
        guard cursor == characters.count || " )|".contains(characters[cursor]),
            let sign = word.firstIndex(where: isSign),
            word[sign...].allSatisfy(isSign)
        else { return false }
        return FilterField.named(String(word[..<sign]), in: fields) != nil
    }

    /// Returns the field whose value is being typed, if the list may know its values.
    static func field(
        in characters: [Character], at cursor: Int, fields: [FilterField]
    ) -> FilterField? {
        let word = characters[wordStart(in: characters, at: cursor)..<cursor]
        guard let sign = word.firstIndex(where: isSign),
            ":=".contains(characters[sign]),
            let field = FilterField.named(String(word[..<sign]), in: fields)
        else { return nil }
        return switch field.kind {
        case .text, .name, .number, .value: field
        case .size, .age, .instant, .choice: nil
        }
    }

    /// Returns the field with its most common operator.
    private static func term(_ name: String, of kind: FilterField.Kind) -> String {
        let isPlain = !name.contains { isSign($0) || " ()|\"".contains($0) }
        let name = isPlain ? name : "\"\(name)\""
        return switch kind {
        case .age: name + "<"
        case .size, .number: name + ">"
        case .text, .name, .instant, .value, .choice: name + ":"
        }
    }

    /// Returns a value in filter syntax.
    static func quoted(_ value: String) -> String {
        let isPlain =
            !value.isEmpty && !value.contains { " ()|\"*".contains($0) || $0.isWhitespace }
        return isPlain ? value : "\"\(value.replacing("\"", with: ""))\""
    }
}

extension Prompt {
    /// Completions for the text.
    func completion(in context: ScreenContext) -> FilterCompletion? {
        if let completion { return completion }
        guard isFilter else { return nil }
        return FilterCompletion(
            of: text.characters, at: text.cursor, fields: fields(in: context)
        ) { known(of: $0, in: context) }
    }

    func fields(in context: ScreenContext) -> [FilterField] {
        switch purpose {
        case .filter: context.list?.source.filterFields ?? []
        case .feed: EventLine.fields
        case .search, .feedSearch, .ignore: []
        }
    }

    /// Returns the syntax error of the filter.
    func problem(in context: ScreenContext) -> FilterError? {
        missingValue(in: context) ?? shownProblem(in: context)
    }

    /// Returns the problem of a field without a value. Such a field matches everything.
    func missingValue(in context: ScreenContext) -> FilterError? {
        let fields = fields(in: context)
        guard isFilter,
            FilterCompletion.lacksValue(in: text.characters, at: text.cursor, fields: fields)
        else { return nil }
        do throws(FilterError) {
            _ = try Filter(text.text, fields: fields)
            return nil
        } catch {
            return error
        }
    }

    private func shownProblem(in context: ScreenContext) -> FilterError? {
        switch purpose {
        case .filter: context.list?.filterProblem
        case .feed: context.events.filterProblem
        case .search, .feedSearch, .ignore: nil
        }
    }

    /// Returns the known values of a field: devices, loaded values, and values from the list.
    private func known(of field: FilterField, in context: ScreenContext) -> [String] {
        let devices = context.session.status.devices.map(\.shownName).sorted()
        if ["device", "actor"].contains(field.name) { return devices }
        guard case .filter = purpose, let list = context.list else { return [] }
        let column = list.source.columns.firstIndex { $0.id == field.name }
        let found = values.flatMap { $0.field == field.name ? $0.found : nil } ?? []
        return Set(FilterField.values(in: column ?? -1, of: list.rows) + found).sorted()
    }

    /// Requests the values of the field at the cursor.
    mutating func request(in context: ScreenContext, _ requests: inout Requests) -> [Effect] {
        guard case .filter = purpose, let list = context.list,
            let field = FilterCompletion.field(
                in: text.characters, at: text.cursor, fields: list.source.filterFields)
        else { return [] }
        let rest = FilterCompletion.rest(of: text.characters, at: text.cursor)
        guard field.name != values?.field || rest != values?.rest else { return [] }
        let canceled: [Effect] = values?.request.map { [.cancel($0)] } ?? []
        let id = requests.newID()
        values = Values(field: field.name, rest: rest, request: id)
        let query = RowQuery(filter: rest, instant: list.query.instant)
        return canceled + [.values(id, list.source.id, field, in: query)]
    }

    /// Replaces the word at the cursor with the next or previous completion.
    mutating func complete(by step: Int, in context: ScreenContext) -> [ScreenOutcome] {
        guard var completion = completion(in: context), !completion.words.isEmpty else {
            return isFilter ? [.notice(.info, "nothing to complete")] : []
        }
        completion.choose(by: step, in: &text)
        // If there is only one completion, the next Tab completes the text after it.
        self.completion = completion.words.count == 1 ? nil : completion
        return [.changed(self)]
    }
}
