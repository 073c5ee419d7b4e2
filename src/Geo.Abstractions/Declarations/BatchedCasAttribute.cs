namespace Geo;

/// <summary>
/// The latest version of the grain's state lives in a conditional store; all queued updates are written by one conditional
/// write (GEO section 3.4, batching compare-and-swap). Makes a versioned grain persistent.
/// </summary>
[AttributeUsage(AttributeTargets.Class)]
public sealed class BatchedCasAttribute : ViewProtocolAttribute
{
    /// <inheritdoc/>
    public override bool UsesStore => true;

    /// <inheritdoc/>
    public override string? StoreName => Storage;

    /// <summary>The name under which the host registered the store; the default store when null.</summary>
    public string? Storage { get; init; }
}
