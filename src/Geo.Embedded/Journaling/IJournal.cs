using Geo.Consistency;

namespace Geo.Embedded;

/// <summary>What the silo does with a grain's view, whatever its types.</summary>
internal interface IJournal : IAsyncDisposable
{
    /// <summary>How many updates are not confirmed.</summary>
    int UnconfirmedCount { get; }

    /// <summary>What other instances reach of the view; null when it is the only one.</summary>
    IReplica? Replica { get; }

    /// <summary>Begins the background work.</summary>
    void Start();

    /// <summary>Ends all waits of now.</summary>
    void GiveUpWaits(GeoOutcomeUnknownException reason);

    /// <summary>Waits until what was raised is confirmed.</summary>
    Task ConfirmAsync(CancellationToken cancellationToken);
}
