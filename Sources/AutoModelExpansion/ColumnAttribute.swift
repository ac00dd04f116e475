import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The arguments of `@Column(…)`.
struct ColumnAttribute {
    private(set) var name: String?
    private(set) var options: [String] = []
    private(set) var formerNames: [String] = []

    init(_ attribute: AttributeSyntax, reportingTo context: (any MacroExpansionContext)?) {
        guard case .argumentList(let arguments) = attribute.arguments else { return }
        var label = ""
        for argument in arguments {
            // If a parameter is variadic, only its first argument has a label.
            label = argument.label?.text ?? label
            if let option = argument.expression.as(MemberAccessExprSyntax.self) {
                options.append(option.declName.baseName.text)
            } else if let text = argument.expression.plainText(reportingTo: context) {
                if label == "formerly" { formerNames.append(text) } else { name = text }
            }
        }
    }
}

/// The arguments of `@AutoModel(…)`.
struct ModelAttribute {
    private(set) var table: String?
    private(set) var file: String?
    private(set) var ids = ".random"
    /// The expression of `tracksChanges:`; `nil` for the default.
    private(set) var tracksChanges: String?
    private(set) var formerNames: [String] = []

    init(_ attribute: AttributeSyntax, reportingTo context: (any MacroExpansionContext)?) {
        guard case .argumentList(let arguments) = attribute.arguments else { return }
        var label = ""
        for argument in arguments {
            label = argument.label?.text ?? label
            if label == "ids" {
                ids = argument.expression.trimmedDescription
                continue
            }
            if label == "tracksChanges" {
                tracksChanges = argument.expression.trimmedDescription
                continue
            }
            guard let text = argument.expression.plainText(reportingTo: context) else { continue }
            switch label {
            case "file": file = text
            case "formerly": formerNames.append(text)
            default: table = text
            }
        }
    }
}

extension ExprSyntax {
    /// Returns the text of a literal that can name a table or column.
    fileprivate func plainText(reportingTo context: (any MacroExpansionContext)?) -> String? {
        guard let literal = self.as(StringLiteralExprSyntax.self),
            let text = literal.representedLiteralValue
        else {
            context?.report(.notLiteral, at: self)
            return nil
        }
        guard !text.isEmpty, !text.contains("\0") else {
            context?.report(.emptyName, at: self)
            return nil
        }
        let small = text.lowercased()
        guard !small.hasPrefix("sqlite_"), !small.hasPrefix("automodel_") else {
            context?.report(.reserved(text), at: self)
            return nil
        }
        return text
    }
}

extension String {
    /// The text as a Swift literal.
    var literal: String { StringLiteralExprSyntax(content: self).trimmedDescription }
}
