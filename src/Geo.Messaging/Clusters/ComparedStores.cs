namespace Geo.Messaging;

/// <summary>The stores of a silo that are compared with those of others before they work together.</summary>
internal sealed record ComparedStores
{
    /// <summary>The store of the directory's rows; null where no other cluster can use it.</summary>
    public IConditionalStore? Rows { get; init; }

    /// <summary>The stores whose values grains of several clusters use, by name.</summary>
    public IReadOnlyDictionary<string, IConditionalStore> Shared { get; init; } = new Dictionary<string, IConditionalStore>();

    /// <summary>True when those need not be the same in all clusters: for demonstrations.</summary>
    public bool AllowUnshared { get; init; }

    /// <summary>The configuration store; null where the clusters are those of the settings.</summary>
    public IConditionalStore? Configuration { get; init; }

    /// <summary>
    /// The store in which a majority keeps the owners of single-instance grains; null where no class has the mode. It is compared always.
    /// </summary>
    public IConditionalStore? Owners { get; init; }

    /// <summary>The names of the single-instance classes; true where a majority decides whose a grain is.</summary>
    public IReadOnlyDictionary<string, bool> SingleInstances { get; init; } = new Dictionary<string, bool>();

    /// <summary>The names of the coordination-free classes; true where some clusters only have replicas.</summary>
    public IReadOnlyDictionary<string, bool> CoordinationFree { get; init; } = new Dictionary<string, bool>();

    /// <summary>The names of the volatile classes with an instance in each cluster, and when their updates are confirmed.</summary>
    public IReadOnlyDictionary<string, UpdateConfirmation> Confirmations { get; init; } = new Dictionary<string, UpdateConfirmation>();
}
