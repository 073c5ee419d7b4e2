namespace Geo.Directory;

/// <summary>
/// Who owns the single-instance grains of a mode, as a silo asks it: <see cref="GlobalDirectory"/> by the protocol of GEO, or
/// <see cref="QuorumDirectory"/> by majority.
/// </summary>
internal interface IInstanceDirectory
{
    /// <inheritdoc cref="GlobalDirectory.AcquireAsync"/>
    ValueTask<Placement> AcquireAsync(GrainKey key, string node, SingleInstanceMode mode, CancellationToken cancellationToken = default);

    /// <inheritdoc cref="GlobalDirectory.LookupAsync"/>
    ValueTask<Placement?> LookupAsync(GrainKey key, CancellationToken cancellationToken = default);

    /// <inheritdoc cref="GlobalDirectory.NoteLookedUp"/>
    void NoteLookedUp(GrainKey key);

    /// <inheritdoc cref="GlobalDirectory.FindHereAsync"/>
    ValueTask<Placement?> FindHereAsync(GrainKey key, CancellationToken cancellationToken = default);

    /// <inheritdoc cref="GlobalDirectory.FindAnewAsync"/>
    ValueTask<Placement?> FindAnewAsync(GrainKey key, ClusterId lost = default, CancellationToken cancellationToken = default);

    /// <inheritdoc cref="GlobalDirectory.MoveAsync"/>
    ValueTask<long?> MoveAsync(
        GrainKey key, string from, string to, long? tenancy = null, CancellationToken cancellationToken = default);

    /// <inheritdoc cref="GlobalDirectory.TenancyOf"/>
    long? TenancyOf(GrainKey key);

    /// <inheritdoc cref="GlobalDirectory.ReleaseAsync"/>
    ValueTask ReleaseAsync(GrainKey key, string node, long? tenancy = null);

    /// <inheritdoc cref="GlobalDirectory.Leave"/>
    void Leave(GrainKey key, long tenancy);

    /// <inheritdoc cref="GlobalDirectory.ForgetCached"/>
    void ForgetCached(GrainKey key, ClusterId stale);
}
