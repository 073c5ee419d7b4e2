namespace Geo.Orleans;

/// <summary>
/// The end of an activation that migrates, which waits until the one that takes its place is registered, or has ended, too. Until then the
/// row names this silo, where a call that comes by an old address would begin the instance anew: without what it has taken along. One of
/// an activation's own services, asked for when it leaves and disposed of when it ends.
/// </summary>
/// <remarks>
/// Orleans' silos wait for each other in the same way, but only for activations that are Orleans' own, and not for those that Geo stands
/// before (<see cref="WatchedContext"/>).
/// </remarks>
internal sealed class Departure(Arrivals arrivals) : IAsyncDisposable
{
    private IGrainContext? _activation;

    /// <summary>The activation leaves, for the silo that it names by then.</summary>
    public void From(IGrainContext activation) => _activation = activation;

    public ValueTask DisposeAsync() => _activation is { } left ? arrivals.AwaitAsync(left) : default;
}
