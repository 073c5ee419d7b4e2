using Geo.Messaging.Overlays;

namespace Geo.Testing.Conformance;

/// <summary>Where overlays are put to the test: starts peers, takes them down, parts the network, and waits.</summary>
public interface IOverlayWorld : IAsyncDisposable
{
    /// <summary>
    /// Starts a peer that listens on an address of its own, another one at each start, with intervals short enough for a test.
    /// </summary>
    /// <param name="peer">Its name.</param>
    /// <param name="options">The overlay and the tag; the world may shorten intervals.</param>
    ValueTask<OverlayNode> StartAsync(string peer, OverlayOptions options);

    /// <summary>Takes a peer down without a word to the others.</summary>
    ValueTask CrashAsync(OverlayNode node);

    /// <summary>Where a peer listens.</summary>
    Geo.Messaging.PeerAddress AddressOf(OverlayNode node);

    /// <summary>Parts the network: only peers of one part reach each other.</summary>
    void Partition(IReadOnlyList<IReadOnlyList<OverlayNode>> parts);

    /// <summary>Joins all parts again.</summary>
    void Heal();

    /// <summary>Lets time pass until a condition holds.</summary>
    /// <exception cref="ConformanceException">It has not come to hold in a time in which it should.</exception>
    ValueTask UntilAsync(Func<bool> condition, string what);

    /// <summary>Lets time pass, for what must not happen.</summary>
    ValueTask PassAsync(TimeSpan time);
}
