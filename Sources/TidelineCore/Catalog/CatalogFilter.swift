import ServerCatalog

/// The filter of the Servers pane as typed by the user: `country:CH p2p -tor load<30 online
/// zürich`.
///
/// Names of features and protocols can be used as single words, or negated with `-`. Words that
/// aren't fields are search text. The filter applies before servers are grouped. Conditions that
/// the catalog supports run as SQL; the others are compared server by server.
struct CatalogFilter {
    /// The conditions for SQL. All must hold.
    private(set) var filters: [VPNServerFilter] = []
    /// The conditions that SQL can't check. They are checked server by server. `nil` for none.
    private(set) var servers: Filter?
    /// The conditions on each group; `nil` for none.
    private(set) var groups: Filter?

    static let fields = ListedServer.schema.filterFields

    /// The additional fields of a group of servers.
    static let groupFields = ListedGroup.schema.filterFields

    /// Parses a filter.
    ///
    /// - Parameter hasGroups: Whether groups are listed, which adds their fields.
    /// - Throws: ``FilterError`` for an unknown field or an invalid value.
    init(_ text: String, hasGroups: Bool) throws(FilterError) {
        let fields = Self.fields + (hasGroups ? Self.groupFields : [])
        var parser = FilterParser(text, fields: fields)
        let syntax = try parser.parse()
        let parts = if case .all(let parts) = syntax { parts } else { [syntax] }
        var lookup = Lookup()
        var compared: [Filter.Expression] = []
        var grouped: [Filter.Expression] = []
        for part in parts where part != .everything {
            if case .term(let term) = part,
                Self.groupFields.contains(where: { $0.name == term.name.lowercased() }), hasGroups
            {
                grouped.append(try Self.expression(part, fields))
            } else if try !lookup.take(part) {
                compared.append(try Self.expression(part, fields))
            }
        }
        filters = lookup.filters
        servers = compared.isEmpty ? nil : Filter(.all(compared))
        groups = grouped.isEmpty ? nil : Filter(.all(grouped))
    }

    /// Returns the expression that is compared server by server.
    private static func expression(
        _ syntax: FilterSyntax, _ fields: [FilterField]
    ) throws(FilterError) -> Filter.Expression {
        switch syntax {
        case .everything: return .everything
        case .all(let parts):
            return .all(
                try parts.map { (part) throws(FilterError) in try expression(part, fields) })
        case .any(let parts, _):
            return .any(
                try parts.map { (part) throws(FilterError) in try expression(part, fields) })
        case .not(let part, _): return .not(try expression(part, fields))
        case .words(let text, let isQuoted, let range):
            if !isQuoted, let word = Self.term(of: text, range) {
                return try expression(.term(word), fields)
            }
            return .words(Pattern(text))
        case .term(let term):
            let field = try Filter.field(of: term, in: fields)
            guard ["feature", "without", "protocol"].contains(field.name), term.value.contains(",")
            else { return .field(field.name, try test(term, of: field)) }
            var tests: [Filter.Expression] = []
            for value in term.value.split(separator: ",") {
                var one = term
                one.value = String(value)
                tests.append(.field(field.name, try test(one, of: field)))
            }
            return field.name == "protocol" ? .any(tests) : .all(tests)
        }
    }

    /// Returns the test of a term. In an error, the whole term is underlined.
    private static func test(
        _ term: FilterTerm, of field: FilterField
    ) throws(FilterError) -> Filter.Test {
        do throws(FilterError) {
            return try field.test(term)
        } catch {
            throw FilterError(error.message, at: term.range)
        }
    }

    /// Returns the term for a single word: a feature, a protocol, `online`.
    static func term(of word: String, _ range: Range<Int>) -> FilterTerm? {
        let name: String
        if ServerFeature(named: word) != nil {
            name = "feature"
        } else if ProtocolSupport(named: word) != nil {
            name = "protocol"
        } else if word.lowercased() == "online" {
            name = "online"
        } else {
            return nil
        }
        return FilterTerm(
            name: name, comparison: .like, value: name == "online" ? "yes" : word, isQuoted: false,
            flags: "", range: range, nameRange: range, valueRange: range, flagsRange: range)
    }

    /// Collects the conditions for SQL.
    private struct Lookup {
        private var found: [VPNServerFilter] = []
        private var words: [String] = []
        private var required: ServerFeature = []
        private var excluded: ServerFeature = []

        var filters: [VPNServerFilter] {
            var filters = found
            if !required.isEmpty || !excluded.isEmpty {
                filters.append(
                    .features(ServerFeatureFilter(required: required, excluded: excluded)))
            }
            if !words.isEmpty { filters.append(.matches(words.joined(separator: " "))) }
            return filters
        }

        /// Adds a condition if it can run as SQL; otherwise, returns `false`.
        mutating func take(_ part: FilterSyntax) throws(FilterError) -> Bool {
            switch part {
            case .words(let text, let isQuoted, let range):
                guard !isQuoted, let term = CatalogFilter.term(of: text, range) else {
                    words.append(text)
                    return true
                }
                return try take(term)
            case .not(.words(let text, false, _), _):
                guard let feature = ServerFeature(named: text) else { return false }
                excluded.insert(feature)
                return true
            case .term(let term): return try take(term)
            case .everything, .all, .any, .not: return false
            }
        }

        private mutating func take(_ term: FilterTerm) throws(FilterError) -> Bool {
            guard let field = FilterField.named(term.name, in: CatalogFilter.fields),
                term.comparison == .like || term.comparison == .equal
            else { return false }
            let value = term.value
            switch field.name {
            case "feature", "without":
                let features = try options(of: term, field) { ServerFeature(named: $0) }
                guard !features.isEmpty else { return false }
                if field.name == "feature" {
                    required.formUnion(features)
                } else {
                    excluded.formUnion(features)
                }
            case "protocol":
                let support = try options(of: term, field) { ProtocolSupport(named: $0) }
                guard !support.isEmpty else { return false }
                found.append(.supports(support))
            case "tier" where Int(value) == nil, "maxtier" where Int(value) == nil:
                throw FilterError(
                    "the tier must be a number: 0 (free), 2 (plus) or 3 (internal)", at: term.range)
            default:
                guard let filter = filter(field.name, term) else { return false }
                found.append(filter)
            }
            return true
        }

        /// Returns the features or protocols that a term lists; none if SQL can't compare them.
        private func options<Options: OptionSet>(
            of term: FilterTerm, _ field: FilterField, named: (String) -> Options?
        ) throws(FilterError) -> Options {
            guard term.comparison == .like, !term.value.contains("*") else { return [] }
            var options: Options = []
            for part in term.value.split(separator: ",") {
                guard let option = named(String(part)) else { throw unknown(part, field, term) }
                options.formUnion(option)
            }
            return options
        }

        private func unknown(
            _ part: Substring, _ field: FilterField, _ term: FilterTerm
        ) -> FilterError {
            guard case .choice(let known) = field.kind else {
                return FilterError("unknown \(field.name) “\(part)”", at: term.range)
            }
            return FilterError(
                "unknown \(field.name == "without" ? "feature" : field.name) “\(part)”: choose one of "
                    + known.joined(separator: ", "), at: term.range)
        }

        private func filter(_ name: String, _ term: FilterTerm) -> VPNServerFilter? {
            let value = term.value
            let isAny = term.comparison == .like && (value.isEmpty || value == "*")
            let isCode = value.utf8.count == 2 && !value.contains("*")
            // `:` ignores accents and case, as in comparisons server by server.
            let isExact = term.comparison == .equal
            switch name {
            case "country":
                return isAny
                    ? .kind(.anyCountry) : isCode ? .kind(.country(value.uppercased())) : nil
            case "entry": return isCode ? .entryCountry(value.uppercased()) : nil
            case "exit": return isCode ? .exitCountry(value.uppercased()) : nil
            case "gateway":
                return isAny ? .kind(.anyGateway) : isExact ? .kind(.gateway(value)) : nil
            case "name": return isExact ? .name(value) : nil
            case "id": return value.isEmpty || value.contains("*") ? nil : .logicalID(value)
            // Listed servers are loaded without endpoints.
            case "endpoint": return value.isEmpty ? nil : .endpointID(value)
            case "endpoints": return value == "none" ? .withoutEndpoints : nil
            case "online": return value.isEmpty || value == "yes" ? .isNotUnderMaintenance : nil
            case "tier": return Int(value).map { .tier($0) }
            case "maxtier": return Int(value).map { .maxTier($0) }
            default: return nil
            }
        }
    }
}
