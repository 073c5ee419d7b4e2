namespace Geo.Directory;

/// <summary>Limits and waits of a silo that shares its cluster with others. The hosts show their users those that users set.</summary>
internal sealed record ClusterSiloOptions
{
    /// <summary>
    /// The names of the clusters that the silo knows, its own among them; none by default, where the host keeps them alike by other means.
    /// </summary>
    public IReadOnlyList<string> Clusters { get; init; } = [];

    /// <summary>True where the clusters are those of a configuration store, whatever the settings say; false by default.</summary>
    public bool IsLive { get; init; }

    /// <summary>How long a silo may serve single-instance grains without reaching the row store; 6 seconds by default.</summary>
    public TimeSpan LeaseDuration { get; init; } = TimeSpan.FromSeconds(6);

    /// <summary>How long the fence of a dead silo stays in the row store; 1 day by default.</summary>
    public TimeSpan FenceRetention { get; init; } = TimeSpan.FromDays(1);

    /// <summary>How long one silo waits for the answer of another to a short question; 2 seconds by default.</summary>
    public TimeSpan SiblingTimeout { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>
    /// How long the end of an instance that is to be deactivated, and of its last call, is waited for; 30 seconds by default. After it the
    /// directory tries again later.
    /// </summary>
    public TimeSpan DeactivationTimeout { get; init; } = TimeSpan.FromSeconds(30);
}
