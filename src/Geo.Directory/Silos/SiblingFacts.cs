namespace Geo.Directory;

/// <summary>
/// What the silos of a cluster must have in common, compared when one starts: above all the store of their directory's rows.
/// </summary>
/// <remarks>
/// A silo knows its own facts before it asks for those of others, and answers only then. Of two that start at one time the one that joined
/// the membership later therefore hears from the other.
/// </remarks>
internal sealed class SiblingFacts : IDisposable
{
    /// <summary>The service by which silos ask each other.</summary>
    public const string Service = "geo.facts";

    private readonly ISiloMembership _membership;
    private readonly ISiblings _siblings;
    private readonly TimeSpan _timeout;
    private readonly IDisposable _registration;
    private readonly TaskCompletionSource<ReadOnlyMemory<byte>> _own = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <param name="membership">The silos of the cluster.</param>
    /// <param name="siblings">The way to them.</param>
    /// <param name="timeout">
    /// How long they may take, all asked at one time. What one that does not answer has is not known, and holds nothing up.
    /// </param>
    public SiblingFacts(ISiloMembership membership, ISiblings siblings, TimeSpan timeout)
    {
        (_membership, _siblings, _timeout) = (membership, siblings, timeout);
        _registration = siblings.Handle(Service, async (_, stopping) => await _own.Task.WaitAsync(stopping));
    }

    /// <summary>Tells siblings these facts from now on, and compares theirs. Once.</summary>
    /// <param name="own">The facts of this silo.</param>
    /// <param name="refuse">Why a sibling's facts do not fit, from its name and facts; null when they do.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="GeoConfigurationException">Facts of a sibling do not fit.</exception>
    public async Task CompareAsync(
        ReadOnlyMemory<byte> own, Func<string, ReadOnlyMemory<byte>, string?> refuse, CancellationToken cancellationToken)
    {
        _own.SetResult(own);
        var refusals = await Task.WhenAll(_membership.Siblings.Select(async node =>
            await _siblings.AskAsync(node, Service, default, _timeout, cancellationToken) is { Outcome: ReplyOutcome.Replied } answer
                ? refuse(node, answer.Payload)
                : null));
        if (Array.Find(refusals, refusal => refusal is not null) is { } first)
        {
            throw new GeoConfigurationException(first);
        }
    }

    /// <summary>Answers no more, and ends the waits of those that ask.</summary>
    public void Dispose()
    {
        _registration.Dispose();
        _own.TrySetCanceled();
    }
}
