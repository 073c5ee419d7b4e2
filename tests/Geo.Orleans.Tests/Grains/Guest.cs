using System.Collections.Concurrent;
using Microsoft.Extensions.Options;
using Orleans.Concurrency;

namespace Geo.Orleans.Tests.Grains;

[GlobalSingleInstance]
[Reentrant]
public sealed class Guest(IOptions<GeoOrleansOptions> options) : Grain, IGuest
{
    /// <summary>Until when the calls of each key stay: all silos of the tests run in this process.</summary>
    public static readonly ConcurrentDictionary<string, TaskCompletionSource> Leave = new();

    /// <summary>How often each key has been hurried.</summary>
    public static readonly ConcurrentDictionary<string, int> Hurried = new();

    private readonly Whereabouts _here = new(options.Value.ClusterId, Guid.NewGuid());

    public Task<Whereabouts> Where() => Task.FromResult(_here);

    public Task<Whereabouts> Hurry()
    {
        Hurried.AddOrUpdate(this.GetPrimaryKeyString(), 1, (_, times) => times + 1);
        return Where();
    }

    public Task Stay() =>
        Leave.GetOrAdd(this.GetPrimaryKeyString(), _ => new(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
}
