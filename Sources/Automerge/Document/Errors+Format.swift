extension DocError {
    init(_ error: FormatError) {
        let code: Code =
            switch error.code {
            case .unknownObject: .unknownObject
            case .wrongObjectType: .wrongObjectType
            case .outOfRange: .outOfRange
            case .notACounter: .notACounter
            case .unknownChange: .unknownChange
            case .invalidCursor: .invalidCursor
            case .duplicateChange: .duplicateChange
            case .tooLarge: .tooLarge
            default: .malformed
            }
        self.init(code, error.message)
    }
}

extension LoadError {
    init(_ error: FormatError) {
        let code: Code =
            switch error.code {
            case .badChunk: .notAutomerge
            case .truncated: .truncated
            case .badHash: .checksum
            case .tooLarge: .tooLarge
            default: .malformed
            }
        self.init(code, error.message)
    }
}
