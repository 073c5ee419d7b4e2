using Orleans.Concurrency;

namespace Geo.Orleans.Tests.Grains;

/// <summary>A journaled grain that is not reentrant, with read-only methods.</summary>
public interface IDesk : IGrainWithStringKey
{
    Task Add(int amount);

    Task Confirm(int amount);

    [ResponseTimeout("00:00:01")]
    Task ConfirmBriefly(int amount);

    /// <summary>Waits for longer than .NET's timers can.</summary>
    [ResponseTimeout("60.00:00:00")]
    Task ConfirmAtLeisure(int amount);

    Task ConfirmUnless(int amount, CancellationToken cancellationToken);

    /// <summary>Adds and confirms when it is freed.</summary>
    Task ConfirmWhenFreed(int amount);

    /// <summary>Adds and confirms when the key is released, whatever has become of the activation by then.</summary>
    Task ConfirmOnceReleased(int amount);

    /// <summary>Ends the activation.</summary>
    Task Leave();

    /// <summary>Ends when it is freed.</summary>
    Task Hold();

    [AlwaysInterleave]
    Task Free();

    [AlwaysInterleave]
    Task ConfirmBeside(int amount);

    [AlwaysInterleave, ResponseTimeout("00:00:01")]
    Task<int> LatestBriefly();

    [ReadOnly]
    Task<int> Look();

    [ReadOnly]
    Task<int> Latest();

    [ReadOnly]
    Task RaiseWhileReading(bool conditionally);
}
