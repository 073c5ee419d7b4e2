using System.Collections.Concurrent;
using Microsoft.Extensions.Options;
using Orleans.Concurrency;

namespace Geo.Orleans.Tests.Grains;

[GlobalSingleInstance]
[Reentrant]
public sealed class Waiter(IOptions<GeoOrleansOptions> options) : Grain, IWaiter
{
    /// <summary>What each key's waiting came to, in the process of the tests: "waiting", then "cancelled".</summary>
    public static readonly ConcurrentDictionary<string, string> Waits = new();

    public Task<Whereabouts> Where() => Task.FromResult(new Whereabouts(options.Value.ClusterId, Guid.Empty));

    public async Task Wait(CancellationToken cancellationToken)
    {
        Waits[this.GetPrimaryKeyString()] = "waiting";
        try
        {
            await Task.Delay(Timeout.Infinite, cancellationToken);
        }
        finally
        {
            Waits[this.GetPrimaryKeyString()] = "cancelled";
        }
    }

    public Task WaitForToken(GrainCancellationToken token) => Wait(token.CancellationToken);
}
