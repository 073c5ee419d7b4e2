namespace Geo.Consistency;

/// <summary>One wait of a grain for its view: it lasts as long as the call that waits.</summary>
internal interface IViewWait : IDisposable
{
    /// <summary>Set when nobody waits any more: the time is up, or the caller has cancelled.</summary>
    CancellationToken GivenUp { get; }

    /// <summary>True when the time was up.</summary>
    bool IsOverdue { get; }
}
