import SwiftDiagnostics
package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// Expands `@AutoModel` on a class or struct.
///
/// The expansions are a separate library, because a target that depends on a macro is built as a
/// tool. Tests of such a target would cause all tests of the package to be built as tools.
package protocol DeclarationExpansion: MemberMacro, MemberAttributeMacro, ExtensionMacro {}

extension DeclarationExpansion {
    package static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let model = ModelDeclaration(declaration, node, reportingTo: context) else {
            return []
        }
        return (model.isClass ? model.classMembers : model.structMembers).map { "\(raw: $0)" }
    }

    package static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        guard declaration.is(ClassDeclSyntax.self),
            let variable = member.as(VariableDeclSyntax.self),
            let model = ModelDeclaration(declaration, node, reportingTo: nil),
            let property = model.properties.property(of: variable)
        else { return [] }
        let observed = model.isObservable ? ", observed: true" : ""
        switch property.kind {
        case .column(let index): return ["@_AutoColumn(\(raw: index)\(raw: observed))"]
        case .excluded:
            return ["@_AutoExcluded\(raw: model.isObservable ? "(observed: true)" : "")"]
        case .relation(let slot): return ["@_AutoRelation(\(raw: slot))"]
        }
    }

    package static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard let model = ModelDeclaration(declaration, node, reportingTo: nil) else { return [] }
        let name = "AutoModel.AutoRecord, AutoModel." + (model.isClass ? "AutoObject" : "AutoValue")
        return [try ExtensionDeclSyntax("extension \(type.trimmed): \(raw: name) {}")]
    }
}

extension Problem {
    /// Returns the first reason that the whole declaration can't be expanded.
    static func first(of declaration: some DeclGroupSyntax) -> (Problem, [FixIt])? {
        switch declaration.kind {
        case .classDecl, .structDecl: break
        case .enumDecl: return (.wrongKind("an enum"), [])
        case .actorDecl: return (.wrongKind("an actor"), [])
        case .protocolDecl: return (.wrongKind("a protocol"), [])
        default: return (.wrongKind("this"), [])
        }
        if declaration.as(ClassDeclSyntax.self)?.genericParameterClause != nil
            || declaration.as(StructDeclSyntax.self)?.genericParameterClause != nil
        {
            return (.generic, [])
        }
        if declaration.attributes.named("Observable") != nil { return (.observableMacro, []) }
        guard let model = declaration.as(ClassDeclSyntax.self),
            !model.modifiers.has(.final)
        else { return nil }
        var final = model
        let trivia = model.classKeyword.leadingTrivia
        final.classKeyword.leadingTrivia = []
        final.modifiers.append(
            DeclModifierSyntax(
                leadingTrivia: trivia, name: .keyword(.final), trailingTrivia: .space))
        let mend = FixIt(
            message: FixItText(message: "add 'final'", name: "addFinal"),
            changes: [.replace(oldNode: Syntax(model), newNode: Syntax(final))])
        return (.notFinal, [mend])
    }
}
