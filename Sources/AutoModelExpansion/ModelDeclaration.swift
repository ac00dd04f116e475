import SwiftSyntax
import SwiftSyntaxMacros

/// A class or struct with `@AutoModel`.
struct ModelDeclaration {
    let name: String
    let isClass: Bool
    let isObservable: Bool
    let properties: PropertyList
    /// `"public "`, or empty.
    let access: String
    let attribute: ModelAttribute
    /// Whether the model declares `awakeFromFetch`.
    let awakes: Bool
    /// Whether a class gets a generated `init()`. The condition is the same as in Swift itself: the
    /// class declares neither `init()` nor a designated initializer.
    let generatesInit: Bool

    init?(
        _ declaration: some DeclGroupSyntax, _ node: AttributeSyntax,
        reportingTo context: (any MacroExpansionContext)?
    ) {
        if let (problem, mending) = Problem.first(of: declaration) {
            let keyword = declaration.as(ClassDeclSyntax.self).map { Syntax($0.classKeyword) }
            context?.report(problem, at: keyword ?? Syntax(node), mending: mending)
            return nil
        }
        isClass = declaration.is(ClassDeclSyntax.self)
        name =
            declaration.as(ClassDeclSyntax.self)?.name.text
            ?? declaration.as(StructDeclSyntax.self)?.name.text ?? ""
        isObservable =
            declaration.inheritanceClause?.inheritedTypes.contains {
                ["Observable", "Observation.Observable"].contains($0.type.trimmedDescription)
            } ?? false
        let isPublic = declaration.modifiers.has(.public)
        access = isPublic ? "public " : ""
        attribute = ModelAttribute(node, reportingTo: context)
        if !isClass, attribute.tracksChanges != nil { context?.report(.untracked, at: node) }
        properties = PropertyList(of: declaration, reportingTo: context)
        let members = declaration.memberBlock.members.map(\.decl)
        awakes = members.contains {
            $0.as(FunctionDeclSyntax.self)?.name.text == "awakeFromFetch"
        }
        let inits = members.compactMap { $0.as(InitializerDeclSyntax.self) }
        generatesInit = inits.allSatisfy { $0.modifiers.has(.convenience) && !$0.canLackArguments }
        let hasPublicInit = inits.contains {
            $0.signature.parameterClause.parameters.isEmpty && $0.modifiers.has(.public)
        }
        if isPublic, !isClass, !hasPublicInit {
            context?.report(.publicInit, at: declaration.as(StructDeclSyntax.self)!.name)
        }
    }

    /// The table's name as a literal.
    private var table: String { (attribute.table ?? name.filter { $0 != "`" }).literal }

    private var declaration: String {
        var arguments = ["table: \(table)", "ids: \(attribute.ids)"]
        if let file = attribute.file { arguments.append("file: \(file.literal)") }
        if !attribute.formerNames.isEmpty {
            arguments.append(
                "formerly: [\(attribute.formerNames.map(\.literal).joined(separator: ", "))]")
        }
        return """
            \(access)static var _$declaration: AutoModel.RecordDeclaration {
                .init(\(arguments.joined(separator: ", ")))
            }
            """
    }

    var classMembers: [String] {
        var members = [
            """
            \(access)struct _$Values: AutoModel.RecordValues {
            \(indented(storage + ["\(access)init() {}"] + codingMembers))
            }
            """,
            "\(access)nonisolated(unsafe) var _$values: _$Values = .init()",
            "\(access)nonisolated(unsafe) var _$state: AutoModel.ObjectState = .temporary",
        ]
        if isObservable { members.append("let _$registrar = Observation.ObservationRegistrar()") }
        members += [columns("_$Values"), declaration]
        members.append(
            """
            \(access)required init(_$state state: consuming AutoModel.ObjectState) {
                _$state = state
            }
            """)
        if generatesInit {
            members.append("\(access)convenience init() { self.init(_$state: .temporary) }")
        }
        if let tracksChanges = attribute.tracksChanges {
            members.append("\(access)static var _$tracksChanges: Bool { \(tracksChanges) }")
        }
        if awakes { members.append("\(access)static var _$awakes: Bool { true }") }
        if isObservable { members.append(notifier) }
        if let relations { members.append(relations) }
        return members
    }

    var structMembers: [String] {
        let id = attribute.ids == ".ascending" ? ": Int64 = 0" : " = _autoRandomID()"
        return [
            "\(access)typealias _$Values = \(name)", "\(access)var id\(id)", columns("Self"),
            declaration,
        ] + codingMembers
    }

    /// Variables for the values that an object's lock protects.
    private var storage: [String] {
        properties.all.compactMap { property in
            if case .relation = property.kind { nil } else { property.storage }
        }
    }

    private var columnProperties: [(Int, Property)] {
        properties.all.compactMap { property in
            if case .column(let index) = property.kind { (index, property) } else { nil }
        }
    }

    /// The functions that bind and read the columns.
    private var codingMembers: [String] {
        let lines = { (make: (Int, Property) -> String) in
            self.indented(self.columnProperties.map { make($0.0, $0.1) })
        }
        return [
            """
            \(access)static func _$describe(_ values: Self, _ table: inout AutoModel.TableDescription) {
            \(lines(describing))
            }
            """,
            """
            \(access)func _$bind(_ row: inout AutoModel.ColumnBinder) throws {
            \(lines { "try row.bind(\($1.name.text), \($0), \(coding($1, "Self")))" })
            }
            """,
            """
            \(access)mutating func _$read(_ row: inout AutoModel.ColumnReader) throws {
            \(lines { "try row.read(&\($1.name.text), \($0), \(coding($1, "Self")))" })
            }
            """,
        ]
    }

    private func describing(_ index: Int, _ property: Property) -> String {
        var arguments = [
            property.column.literal, "default: values.\(property.name.text)",
            coding(property, "Self"),
        ]
        if !property.isLiteral { arguments.append("isLiteral: false") }
        if !property.options.isEmpty {
            arguments.append(
                "options: [\(property.options.map { ".\($0)" }.joined(separator: ", "))]")
        }
        if !property.formerNames.isEmpty {
            let names = property.formerNames.map(\.literal).joined(separator: ", ")
            arguments.append("formerly: [\(names)]")
        }
        return "table.column(\(arguments.joined(separator: ", ")))"
    }

    /// The compiler chooses the coding, because the type may be missing in the source.
    private func coding(_ property: Property, _ values: String) -> String {
        "_autoCoding { (values: \(values)) in values.\(property.name.text) }"
    }

    /// Returns the columns by property name, for queries.
    private func columns(_ values: String) -> String {
        let values = values == "Self" ? name : values
        let lines = columnProperties.map { index, property in
            let access = property.isPrivate ? "fileprivate " : property.isPublic ? access : ""
            return "\(access)let \(property.name.text) = _autoColumn("
                + "\(name).self, \(property.column.literal), \(coding(property, values)))"
        }
        return """
            \(access)struct Columns: AutoModel.RecordColumns {
                \(access)let id = _autoIDColumn(\(name).self)
            \(indented(lines + ["\(access)init() {}"]))
            }
            """
    }

    /// Notifies observers of a column's new value.
    private var notifier: String {
        let cases = columnProperties.map { index, property in
            "case \(index): _$registrar.withMutation(of: self, keyPath: \\.\(property.name.text)) {}"
        }
        return """
            \(access)func _$notify(_ column: Int) {
                switch column {
            \(indented(cases + ["default: break"]))
                }
            }
            """
    }

    /// The properties that lead to other objects.
    private var relations: String? {
        let lines = properties.all.compactMap { property in
            if case .relation = property.kind, let value = property.binding.relation {
                "relations.add(\(property.plainName.literal), \(value))"
            } else {
                nil as String?
            }
        }
        guard !lines.isEmpty else { return nil }
        return """
            \(access)static func _$describe(_ relations: inout AutoModel.RelationList) {
            \(indented(lines))
            }
            """
    }

    private func indented(_ lines: [String]) -> String {
        lines.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) }
            .map { "    \($0)" }.joined(separator: "\n")
    }
}

extension InitializerDeclSyntax {
    fileprivate var canLackArguments: Bool {
        signature.parameterClause.parameters.allSatisfy { $0.defaultValue != nil }
    }
}
