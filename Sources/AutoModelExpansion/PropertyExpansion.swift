package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// The accessors of a column's property.
package protocol StoredPropertyExpansion: AccessorMacro {}

extension StoredPropertyExpansion {
    package static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let name = declaration.propertyName,
            case .argumentList(let arguments) = node.arguments, let index = arguments.first
        else { return [] }
        return PropertyAccessors.make(
            name, observed: arguments.count > 1,
            setter: "_$set(\(index.expression.trimmed), newValue)")
    }
}

/// The accessors of an excluded property.
package protocol ExcludedPropertyExpansion: AccessorMacro {}

extension ExcludedPropertyExpansion {
    package static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let name = declaration.propertyName else { return [] }
        return PropertyAccessors.make(
            name, observed: node.arguments != nil, setter: "_$setExcluded(newValue)")
    }
}

private enum PropertyAccessors {
    static func make(_ name: TokenSyntax, observed: Bool, setter: String) -> [AccessorDeclSyntax] {
        let set = "\(setter) { swap(&$0.\(name.text), &$1) }"
        guard observed else {
            return ["get { _$get { $0.\(raw: name.text) } }", "set { \(raw: set) }"]
        }
        return [
            """
            get {
                _$registrar.access(self, keyPath: \\.\(raw: name.text))
                return _$get { $0.\(raw: name.text) }
            }
            """,
            """
            set {
                _$registrar.withMutation(of: self, keyPath: \\.\(raw: name.text)) {
                    \(raw: set)
                }
            }
            """,
        ]
    }
}

/// The getter of a relation.
package protocol RelationPropertyExpansion: AccessorMacro {}

extension RelationPropertyExpansion {
    package static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let variable = declaration.as(VariableDeclSyntax.self),
            let name = declaration.propertyName?.text.filter({ $0 != "`" }),
            let made = variable.bindings.first?.relation,
            case .argumentList(let arguments) = node.arguments, let slot = arguments.first
        else { return [] }
        return [
            """
            get {
                \(raw: made)._$bound(to: self, slot: \(slot.expression.trimmed), name: \(raw: name.literal))
            }
            """
        ]
    }
}

/// `@Column` and `@Excluded` expand to nothing; `@AutoModel` reads them.
package protocol MarkerExpansion: PeerMacro {}

extension MarkerExpansion {
    package static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let variable = declaration.as(VariableDeclSyntax.self),
            !variable.modifiers.has(.static, .class), variable.bindings.first?.isComputed == false
        else {
            context.report(.markerNeedsModel, at: node)
            return []
        }
        return []
    }
}

extension DeclSyntaxProtocol {
    fileprivate var propertyName: TokenSyntax? {
        self.as(VariableDeclSyntax.self)?.bindings.first?.pattern
            .as(IdentifierPatternSyntax.self)?.identifier
    }
}
