import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct AutoModelPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        AutoModelMacro.self, StoredPropertyMacro.self, ExcludedPropertyMacro.self,
        RelationPropertyMacro.self, MarkerMacro.self,
    ]
}
