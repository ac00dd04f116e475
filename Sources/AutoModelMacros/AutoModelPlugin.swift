import AutoModelExpansion
import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct AutoModelPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        AutoModelMacro.self, StoredPropertyMacro.self, ExcludedPropertyMacro.self,
        RelationPropertyMacro.self, MarkerMacro.self,
    ]
}

// The compiler finds macros by their names in this module.
struct AutoModelMacro: DeclarationExpansion {}
struct StoredPropertyMacro: StoredPropertyExpansion {}
struct ExcludedPropertyMacro: ExcludedPropertyExpansion {}
struct RelationPropertyMacro: RelationPropertyExpansion {}
struct MarkerMacro: MarkerExpansion {}
