import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// A problem of a declaration, with a suggestion.
enum Problem: DiagnosticMessage, Equatable {
    case wrongKind(String), notFinal, generic, untracked, observableMacro, publicInit
    case noDefault(String), observers(String), lazy(String), unownedReference(String)
    case severalVariables, ownID, sameColumn(String), notLiteral, emptyName, reserved(String)
    case constant(String), columnAndExcluded(String)
    case relationWithoutValue(String), relationInStruct(String), markerNeedsModel

    var message: String {
        switch self {
        case .wrongKind(let kind):
            "@AutoModel needs a class or struct, not \(kind); move the properties to a class or "
                + "struct"
        case .notFinal:
            "a model can't have subclasses, because each class has one table; write 'final class'"
        case .generic:
            "a generic model would have a table for each type argument; declare a model for each "
                + "of them"
        case .untracked:
            "changes of a struct are never tracked; remove 'tracksChanges'"
        case .observableMacro:
            "@AutoModel tracks changes itself; remove '@Observable' and write ': Observable' "
                + "after the name of the class"
        case .publicInit:
            "reading rows needs an initializer without parameters; add 'public init() {}'"
        case .noDefault(let property):
            "a new row needs a value for '\(property)'; assign a default, make it optional, or "
                + "mark it @Excluded and assign a value"
        case .observers(let property):
            "'\(property)' can't have observers, because a lock protects its value; follow the "
                + "object's 'changes()' instead"
        case .lazy(let property):
            "'\(property)' can't be lazy, because any thread may use it; declare an optional "
                + "@Excluded variable instead, and set it in a method"
        case .unownedReference(let property):
            "'\(property)' can't be weak or unowned; use 'Reference<Model>()', which doesn't "
                + "keep the object alive"
        case .severalVariables:
            "declare each property of a model with a separate 'var'"
        case .ownID:
            "a model already has an 'id'; choose the kind of identifiers with "
                + "'@AutoModel(ids:)' and give this property another name"
        case .sameColumn(let column):
            "two properties have the column '\(column)', and column names in SQLite ignore case; "
                + "rename one with '@Column(\"…\")'"
        case .notLiteral:
            "write the name as a string literal without interpolation, because the macro reads it "
                + "from the source"
        case .emptyName:
            "a name can't be empty"
        case .reserved(let name):
            "SQLite or AutoModel reserves the name '\(name)'; choose one that doesn't start with "
                + "'sqlite_' or 'automodel_'"
        case .constant(let property):
            "'\(property)' can't be set when a row is read; write 'var' with a default value, or "
                + "give the constant a value"
        case .columnAndExcluded(let property):
            "'\(property)' is either a column or excluded; remove one of @Column and @Excluded"
        case .relationWithoutValue(let property):
            "declare the target of '\(property)', as in 'var \(property) = "
                + "Children(of: Album.self, by: \\.artist)'"
        case .relationInStruct(let property):
            "'\(property)' needs an object that owns it; declare the model as a class, or fetch "
                + "with 'where'"
        case .markerNeedsModel:
            "this attribute applies to a stored 'var' of an @AutoModel class or struct"
        }
    }

    var diagnosticID: MessageID {
        let name = String(describing: self).prefix { $0 != "(" }
        return MessageID(domain: "AutoModel", id: String(name))
    }
    var severity: DiagnosticSeverity { .error }
}

struct FixItText: FixItMessage {
    let message: String
    let name: String
    var fixItID: MessageID { MessageID(domain: "AutoModel", id: name) }
}

extension MacroExpansionContext {
    func report(_ problem: Problem, at node: some SyntaxProtocol, mending: [FixIt] = []) {
        diagnose(Diagnostic(node: Syntax(node), message: problem, fixIts: mending))
    }
}
