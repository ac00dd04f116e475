import SwiftSyntax

/// A declared property of a model.
struct Property {
    enum Kind {
        /// A column, by its number.
        case column(Int)
        /// Excluded: kept in memory only.
        case excluded
        /// A relation, by its number among the relations.
        case relation(Int)
    }

    let kind: Kind
    /// The name as written, including backticks.
    let name: TokenSyntax
    let binding: PatternBindingSyntax
    let isPrivate: Bool
    let isPublic: Bool
    /// The column's name as a literal, if it differs from the property's.
    let columnLiteral: String?
    let options: [String]
    let formerNames: [String]

    /// The name without backticks.
    var plainName: String { name.text.filter { $0 != "`" } }
    var column: String { columnLiteral ?? plainName }

    /// The declaration of a variable that holds the value.
    var storage: String {
        let type = binding.typeAnnotation.map { ": \($0.type.trimmedDescription)" } ?? ""
        let value = binding.initializer.map { " = \($0.value.trimmedDescription)" } ?? ""
        return "\(isPrivate ? "fileprivate " : "")var \(name.text)\(type)\(value)"
    }

    /// Whether every new object has the same value, as far as the source shows.
    var isLiteral: Bool {
        guard let value = binding.initializer?.value else { return true }
        return Self.isLiteral(value)
    }

    private static func isLiteral(_ value: ExprSyntax) -> Bool {
        if let text = value.as(StringLiteralExprSyntax.self) {
            return text.segments.allSatisfy { $0.is(StringSegmentSyntax.self) }
        }
        if let list = value.as(ArrayExprSyntax.self) {
            return list.elements.allSatisfy { isLiteral($0.expression) }
        }
        if let dictionary = value.as(DictionaryExprSyntax.self) {
            guard case .elements(let elements) = dictionary.content else { return true }
            return elements.allSatisfy { isLiteral($0.key) && isLiteral($0.value) }
        }
        if let prefixed = value.as(PrefixOperatorExprSyntax.self) {
            return isLiteral(prefixed.expression)
        }
        return value.is(IntegerLiteralExprSyntax.self) || value.is(FloatLiteralExprSyntax.self)
            || value.is(BooleanLiteralExprSyntax.self) || value.is(NilLiteralExprSyntax.self)
    }
}

extension DeclModifierListSyntax {
    /// Returns whether the list contains one of the keywords.
    func has(_ keywords: Keyword...) -> Bool {
        contains { modifier in keywords.contains { modifier.name.tokenKind == .keyword($0) } }
    }
}

extension VariableDeclSyntax {
    /// Ignores the setter's own access level.
    var isPrivate: Bool {
        modifiers.contains {
            $0.detail == nil
                && ($0.name.tokenKind == .keyword(.private)
                    || $0.name.tokenKind == .keyword(.fileprivate))
        }
    }
}

extension AttributeListSyntax {
    /// Finds an attribute by name, with or without its module.
    func named(_ name: String) -> AttributeSyntax? {
        for case .attribute(let attribute) in self {
            let type = attribute.attributeName
            let found =
                type.as(IdentifierTypeSyntax.self)?.name.text
                ?? type.as(MemberTypeSyntax.self)?.name.text
            if found == name { return attribute }
        }
        return nil
    }
}

extension PatternBindingSyntax {
    /// Whether the variable is computed.
    var isComputed: Bool {
        switch accessorBlock?.accessors {
        case .getter: true
        case .accessors(let list):
            list.contains {
                $0.accessorSpecifier.tokenKind != .keyword(.willSet)
                    && $0.accessorSpecifier.tokenKind != .keyword(.didSet)
            }
        case nil: false
        }
    }
    var hasObservers: Bool { accessorBlock != nil && !isComputed }

    var isOptional: Bool {
        guard let type = typeAnnotation?.type else { return false }
        return type.is(OptionalTypeSyntax.self)
            || type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
            || type.as(IdentifierTypeSyntax.self)?.name.text == "Optional"
    }

    /// The initial value of a relation as an expression of its type.
    var relation: String? {
        guard let value = initializer?.value.trimmedDescription else { return nil }
        return typeAnnotation.map { "(\(value) as \($0.type.trimmedDescription))" } ?? value
    }

    /// The type that the annotation or the initializer call names, without its module.
    var typeName: String? {
        if let type = typeAnnotation?.type {
            return type.as(IdentifierTypeSyntax.self)?.name.text
                ?? type.as(MemberTypeSyntax.self)?.name.text
        }
        guard let call = initializer?.value.as(FunctionCallExprSyntax.self) else { return nil }
        let called =
            call.calledExpression.as(GenericSpecializationExprSyntax.self)?.expression
            ?? call.calledExpression
        return called.as(DeclReferenceExprSyntax.self)?.baseName.text
    }
}
