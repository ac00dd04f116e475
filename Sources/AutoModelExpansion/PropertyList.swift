import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The properties of a model, in the order of declaration.
struct PropertyList {
    /// The types of relations.
    static let relationTypes: Set<String> = ["Children", "ManyToMany", "Inverse"]

    private(set) var all: [Property] = []
    private(set) var columnCount = 0
    private var relationCount = 0
    private var columns: Set<String> = ["id"]
    private let isClass: Bool
    private let context: (any MacroExpansionContext)?

    /// - Parameter context: Receives diagnostics. If `nil`, they are dropped.
    init(of declaration: some DeclGroupSyntax, reportingTo context: (any MacroExpansionContext)?) {
        isClass = declaration.is(ClassDeclSyntax.self)
        self.context = context
        for member in declaration.memberBlock.members {
            if let variable = member.decl.as(VariableDeclSyntax.self) { add(variable) }
        }
    }

    func property(of variable: VariableDeclSyntax) -> Property? {
        guard let name = variable.bindings.first?.pattern.as(IdentifierPatternSyntax.self) else {
            return nil
        }
        return all.first { $0.name.text == name.identifier.text }
    }

    private mutating func add(_ variable: VariableDeclSyntax) {
        guard !variable.modifiers.has(.static, .class), let binding = variable.bindings.first else {
            return
        }
        if variable.bindings.count == 1, binding.isComputed { return }
        let excluded = variable.attributes.named("Excluded")
        guard variable.bindings.count == 1,
            let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier
        else {
            if variable.bindingSpecifier.tokenKind == .keyword(.var) {
                report(.severalVariables, at: variable)
            }
            return
        }
        let plain = name.text.filter { $0 != "`" }
        guard plain.lowercased() != "id" else {
            return report(.ownID, at: name)
        }
        guard variable.bindingSpecifier.tokenKind == .keyword(.var) else {
            if binding.initializer == nil { report(.constant(plain), at: name) }
            return
        }
        if excluded != nil, variable.attributes.named("Column") != nil {
            return report(.columnAndExcluded(plain), at: name)
        }
        if let problem = unstorable(variable, binding, plain) {
            return report(problem, at: name)
        }
        if excluded == nil, Self.relationTypes.contains(binding.typeName ?? "") {
            return addRelation(variable, binding, name)
        }
        guard binding.initializer != nil || binding.isOptional else {
            return report(.noDefault(plain), at: name, mending: Defaults.mending(binding))
        }
        if excluded != nil {
            return append(.excluded, variable, binding, name)
        }
        let attribute = variable.attributes.named("Column").map {
            ColumnAttribute($0, reportingTo: context)
        }
        let column = attribute?.name ?? plain
        guard columns.insert(column.lowercased()).inserted else {
            return report(.sameColumn(column), at: name)
        }
        append(.column(columnCount), variable, binding, name, attribute)
        columnCount += 1
    }

    private mutating func addRelation(
        _ variable: VariableDeclSyntax, _ binding: PatternBindingSyntax, _ name: TokenSyntax
    ) {
        let plain = name.text.filter { $0 != "`" }
        guard isClass else {
            return report(.relationInStruct(plain), at: name)
        }
        guard binding.initializer != nil else {
            return report(.relationWithoutValue(plain), at: name)
        }
        append(.relation(relationCount), variable, binding, name)
        relationCount += 1
    }

    private func report(_ problem: Problem, at node: some SyntaxProtocol, mending: [FixIt] = []) {
        context?.report(problem, at: node, mending: mending)
    }

    private func unstorable(
        _ variable: VariableDeclSyntax, _ binding: PatternBindingSyntax, _ name: String
    ) -> Problem? {
        guard isClass else { return nil }
        if binding.hasObservers { return .observers(name) }
        if variable.modifiers.has(.lazy) { return .lazy(name) }
        if variable.modifiers.has(.weak, .unowned) { return .unownedReference(name) }
        return nil
    }

    private mutating func append(
        _ kind: Property.Kind, _ variable: VariableDeclSyntax, _ binding: PatternBindingSyntax,
        _ name: TokenSyntax, _ attribute: ColumnAttribute? = nil
    ) {
        all.append(
            Property(
                kind: kind, name: name, binding: binding, isPrivate: variable.isPrivate,
                isPublic: variable.modifiers.has(.public), columnLiteral: attribute?.name,
                options: attribute?.options ?? [], formerNames: attribute?.formerNames ?? []))
    }
}

/// Default values that a fix-it can suggest.
enum Defaults {
    private static let known: [String: String] = [
        "String": "\"\"", "Bool": "false", "Int": "0", "Int8": "0", "Int16": "0", "Int32": "0",
        "Int64": "0", "UInt": "0", "UInt8": "0", "UInt16": "0", "UInt32": "0", "UInt64": "0",
        "Double": "0", "Float": "0", "Data": "Data()", "Date": "Date()", "UUID": "UUID()",
    ]

    static func mending(_ binding: PatternBindingSyntax) -> [FixIt] {
        guard let type = binding.typeAnnotation?.type else { return [] }
        let value: String
        if type.is(ArrayTypeSyntax.self) {
            value = "[]"
        } else if type.is(DictionaryTypeSyntax.self) {
            value = "[:]"
        } else if let known = known[type.trimmedDescription] {
            value = known
        } else {
            return []
        }
        var mended = binding
        mended.typeAnnotation?.type.trailingTrivia = []
        mended.initializer = InitializerClauseSyntax(
            equal: .equalToken(leadingTrivia: .space, trailingTrivia: .space),
            value: ExprSyntax("\(raw: value)"))
        return [
            FixIt(
                message: FixItText(message: "start with \(value)", name: "addDefault"),
                changes: [.replace(oldNode: Syntax(binding), newNode: Syntax(mended))])
        ]
    }
}
