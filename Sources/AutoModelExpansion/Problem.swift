import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// A problem of a declaration, with a suggestion.
struct Problem: DiagnosticMessage, Equatable {
    let message: String
    let name: String

    var diagnosticID: MessageID { MessageID(domain: "AutoModel", id: name) }
    var severity: DiagnosticSeverity { .error }

    static func wrongKind(_ kind: String) -> Problem {
        Problem(
            message: "@AutoModel needs a class or struct, not \(kind); move the "
                + "properties to a class or struct",
            name: "wrongKind")
    }
    static let notFinal = Problem(
        message:
            "a model can't have subclasses, because each class has one table; write 'final class'",
        name: "notFinal")
    static let generic = Problem(
        message:
            "a generic model would have a table for each type argument; declare a model for each "
            + "of them", name: "generic")
    static let untracked = Problem(
        message: "changes of a struct are never tracked; remove 'tracksChanges'",
        name: "untracked")
    static let observableMacro = Problem(
        message: "@AutoModel tracks changes itself; remove '@Observable' and write ': Observable' "
            + "after the name of the class", name: "observableMacro")
    static let publicInit = Problem(
        message: "reading rows needs an initializer without parameters; add 'public init() {}'",
        name: "publicInit")
    static func noDefault(_ property: String) -> Problem {
        Problem(
            message:
                "a new row needs a value for '\(property)'; assign a default, make it optional, "
                + "or mark it @Excluded and assign a value", name: "noDefault")
    }
    static func observers(_ property: String) -> Problem {
        Problem(
            message: "'\(property)' can't have observers, because a lock protects its "
                + "value; follow the object's 'changes()' instead", name: "observers")
    }
    static func lazy(_ property: String) -> Problem {
        Problem(
            message: "'\(property)' can't be lazy, because any thread may use it; declare "
                + "an optional @Excluded variable instead, and set it in a method", name: "lazy")
    }
    static func unownedReference(_ property: String) -> Problem {
        Problem(
            message: "'\(property)' can't be weak or unowned; use "
                + "'Reference<Model>()', which doesn't keep the object alive",
            name: "unownedReference")
    }
    static let severalVariables = Problem(
        message: "declare each property of a model with a separate 'var'",
        name: "severalVariables")
    static let ownID = Problem(
        message: "a model already has an 'id'; choose the kind of identifiers with "
            + "'@AutoModel(ids:)' and give this property another name", name: "ownID")
    static func sameColumn(_ column: String) -> Problem {
        Problem(
            message:
                "two properties have the column '\(column)', and column names in SQLite ignore "
                + "case; rename one with '@Column(\"…\")'",
            name: "sameColumn")
    }
    static let notLiteral = Problem(
        message:
            "write the name as a string literal without interpolation, because the macro reads it "
            + "from the source", name: "notLiteral")
    static let emptyName = Problem(
        message: "a name can't be empty", name: "emptyName")
    static func reserved(_ name: String) -> Problem {
        Problem(
            message: "SQLite or AutoModel reserves the name '\(name)'; choose one that doesn't "
                + "start with 'sqlite_' or 'automodel_'", name: "reserved")
    }
    static func constant(_ property: String) -> Problem {
        Problem(
            message:
                "'\(property)' can't be set when a row is read; write 'var' with a default value, "
                + "or give the constant a value", name: "constant")
    }
    static func columnAndExcluded(_ property: String) -> Problem {
        Problem(
            message: "'\(property)' is either a column or excluded; remove one of @Column and "
                + "@Excluded", name: "columnAndExcluded")
    }
    static func relationWithoutValue(_ property: String) -> Problem {
        Problem(
            message: "declare the target of '\(property)', as in 'var \(property) = "
                + "Children(of: Album.self, by: \\.artist)'", name: "relationWithoutValue")
    }
    static func relationInStruct(_ property: String) -> Problem {
        Problem(
            message: "'\(property)' needs an object that owns it; declare the model as a class, "
                + "or fetch with 'where'", name: "relationInStruct")
    }
    static let markerNeedsModel = Problem(
        message: "this attribute applies to a stored 'var' of an @AutoModel class or struct",
        name: "markerNeedsModel")
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
