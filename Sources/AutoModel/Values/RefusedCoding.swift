/// The coding of a property that holds models, which a column can't store. Generated code with this
/// coding fails to compile only in the description of the table, so that the compiler reports one
/// error per property.
///
/// For code that the macro generates.
public struct RefusedModelList<Value: Sendable>: Sendable {
    @usableFromInline init() {}
}

/// The coding of a property that holds one model, as ``RefusedModelList``.
public struct RefusedModel<Value: Sendable>: Sendable {
    @usableFromInline init() {}
}

public func _autoCoding<Owner, Target: AutoObject>(
    _ property: (Owner) -> [Target]
) -> RefusedModelList<[Target]> { RefusedModelList() }

public func _autoCoding<Owner, Target: AutoObject>(
    _ property: (Owner) -> Set<Target>
) -> RefusedModelList<Set<Target>> { RefusedModelList() }

public func _autoCoding<Owner, Target: AutoObject>(
    _ property: (Owner) -> Target
) -> RefusedModel<Target> { RefusedModel() }

public func _autoCoding<Owner, Target: AutoObject>(
    _ property: (Owner) -> Target?
) -> RefusedModel<Target?> { RefusedModel() }

extension TableDescription {
    @available(*, unavailable, message: "relate models with ManyToMany or Children")
    public mutating func column<Value>(
        _ name: String, default value: Value, _ coding: RefusedModelList<Value>,
        isLiteral: Bool = true, options: [ColumnOption] = [], formerly: [String] = []
    ) {}

    @available(*, unavailable, message: "refer to a model with Reference")
    public mutating func column<Value>(
        _ name: String, default value: Value, _ coding: RefusedModel<Value>,
        isLiteral: Bool = true, options: [ColumnOption] = [], formerly: [String] = []
    ) {}
}

extension ColumnBinder {
    public mutating func bind<Value>(
        _ value: Value, _ column: Int, _ coding: RefusedModelList<Value>
    ) {}
    public mutating func bind<Value>(
        _ value: Value, _ column: Int, _ coding: RefusedModel<Value>
    ) {}
}

extension ColumnReader {
    public mutating func read<Value>(
        _ value: inout Value, _ column: Int, _ coding: RefusedModelList<Value>
    ) {}
    public mutating func read<Value>(
        _ value: inout Value, _ column: Int, _ coding: RefusedModel<Value>
    ) {}
}

public func _autoColumn<Record, Value: Sendable>(
    _ record: Record.Type, _ name: String, _ coding: RefusedModelList<Value>
) -> ModelColumn<Record, Value> { ModelColumn(refused: name) }

public func _autoColumn<Record, Value: Sendable>(
    _ record: Record.Type, _ name: String, _ coding: RefusedModel<Value>
) -> ModelColumn<Record, Value> { ModelColumn(refused: name) }

extension ModelColumn {
    fileprivate init(refused name: String) {
        self.name = name
        coder = ValueCoder(
            encode: { _ in throw InvalidValue("a column can't hold models") },
            decode: { _ in throw InvalidValue("a column can't hold models") })
    }
}
