namespace Geo.Consistency;

/// <summary>What another instance has handed in, until it is answered.</summary>
/// <param name="Cluster">Where it came from.</param>
/// <param name="Head">What the rules see of it.</param>
/// <param name="Updates">The updates, in their order.</param>
/// <param name="Bytes">The length of the message.</param>
internal sealed record CasGuest<TUpdate>(ClusterId Cluster, HandIn Head, TUpdate[] Updates, int Bytes)
{
    /// <summary>Ends with the answer.</summary>
    internal TaskCompletionSource<ReadOnlyMemory<byte>> Answer { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>What the same instance had handed in before, and waits for still: this holds it, too.</summary>
    internal CasGuest<TUpdate>? Earlier { get; init; }
}
