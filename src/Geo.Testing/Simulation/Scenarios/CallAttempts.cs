using Geo.Embedded;

namespace Geo.Testing;

/// <summary>Calls that may fail, as a client of a faulty world must expect.</summary>
public static class CallAttempts
{
    /// <summary>
    /// Calls a grain and takes down how that ended, in place of throwing what the network, a store or a crash does to a call.
    /// </summary>
    /// <param name="grain">The grain.</param>
    /// <param name="call">The call.</param>
    /// <returns>The end; an exception of the grain itself is thrown.</returns>
    public static async Task<CallAttempt> TryAsync<TGrain>(this TGrain grain, Func<TGrain, Task> call)
        where TGrain : IAddressable
    {
        ArgumentNullException.ThrowIfNull(call);
        try
        {
            await call(grain);
            return new(CallEnd.Answered, null);
        }
        catch (Exception e) when (e is GeoUnavailableException or InconsistentStateException)
        {
            return new(CallEnd.Failed, e);
        }
        catch (Exception e) when (e is GeoOutcomeUnknownException or OperationCanceledException or ObjectDisposedException)
        {
            return new(CallEnd.Unknown, e);
        }
    }
}
