import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// What is wrong with a declaration, and what to do about it.
struct Problem: DiagnosticMessage, Equatable {
    let message: String
    let name: String

    var diagnosticID: MessageID { MessageID(domain: "AutoModel", id: name) }
    var severity: DiagnosticSeverity { .error }

    static func wrongKind(_ kind: String) -> Problem {
        Problem(
            message: "@AutoModel makes a table of a class or a struct, not of \(kind); move the "
                + "properties to one of these",
            name: "wrongKind")
    }
    static let notFinal = Problem(
        message: "a model has one class a table; write 'final class'", name: "notFinal")
    static let generic = Problem(
        message: "a generic type would have a table for each argument; declare a model for each "
            + "of them", name: "generic")
    static let observableMacro = Problem(
        message: "@AutoModel tracks changes itself; remove '@Observable' and write ': Observable' "
            + "after the name of the class", name: "observableMacro")
    static let publicInit = Problem(
        message: "reading rows needs an initializer without arguments; add 'public init() {}'",
        name: "publicInit")
    static func noDefault(_ property: String) -> Problem {
        Problem(
            message: "a new row needs a value for '\(property)'; give it one, make it optional, "
                + "or mark it @Excluded and give it one", name: "noDefault")
    }
    static func observers(_ property: String) -> Problem {
        Problem(
            message: "'\(property)' cannot have observers, because its value is kept under a "
                + "lock; follow 'changes()' of the object instead", name: "observers")
    }
    static func lazy(_ property: String) -> Problem {
        Problem(
            message: "'\(property)' cannot be lazy, because any thread may ask first; mark an "
                + "optional variable @Excluded and fill it from a method", name: "lazy")
    }
    static func unownedReference(_ property: String) -> Problem {
        Problem(
            message: "'\(property)' cannot be weak or unowned; relate models with "
                + "'Reference<Model>()', which keeps nothing alive", name: "unownedReference")
    }
    static let severalVariables = Problem(
        message: "declare each property of a model with a 'var' of its own",
        name: "severalVariables")
    static let ownID = Problem(
        message: "a model has its 'id' already; choose how it is made with "
            + "'@AutoModel(ids:)' and give this property another name", name: "ownID")
    static func sameColumn(_ column: String) -> Problem {
        Problem(
            message: "two properties have the column '\(column)', and SQLite does not tell "
                + "capitals from small letters; name one with '@Column(\"…\")'",
            name: "sameColumn")
    }
    static let notLiteral = Problem(
        message: "write a name as a string without interpolation, because the table is made "
            + "of the source", name: "notLiteral")
    static let emptyName = Problem(
        message: "a name cannot be empty", name: "emptyName")
    static func reserved(_ name: String) -> Problem {
        Problem(
            message: "the name '\(name)' is SQLite's or AutoModel's own; choose one that does "
                + "not begin with 'sqlite_' or 'automodel_'", name: "reserved")
    }
    static func constant(_ property: String) -> Problem {
        Problem(
            message: "'\(property)' has no value when a row is read; write 'var' with a value, "
                + "or give the constant one", name: "constant")
    }
    static func columnAndExcluded(_ property: String) -> Problem {
        Problem(
            message: "'\(property)' is either a column or excluded; remove one of @Column and "
                + "@Excluded", name: "columnAndExcluded")
    }
    static func relationWithoutValue(_ property: String) -> Problem {
        Problem(
            message: "say what '\(property)' leads to, as in 'var \(property) = "
                + "Children(of: Album.self, by: \\.artist)'", name: "relationWithoutValue")
    }
    static func relationInStruct(_ property: String) -> Problem {
        Problem(
            message: "'\(property)' needs an object to belong to; declare the model as a class, "
                + "or fetch with 'where'", name: "relationInStruct")
    }
    static let markerNeedsModel = Problem(
        message: "this attribute belongs to a stored 'var' of an @AutoModel class or struct",
        name: "markerNeedsModel")
}

/// What a fix-it says.
struct Mend: FixItMessage {
    let message: String
    let name: String
    var fixItID: MessageID { MessageID(domain: "AutoModel", id: name) }
}

extension MacroExpansionContext {
    func report(_ problem: Problem, at node: some SyntaxProtocol, mending: [FixIt] = []) {
        diagnose(Diagnostic(node: Syntax(node), message: problem, fixIts: mending))
    }
}
