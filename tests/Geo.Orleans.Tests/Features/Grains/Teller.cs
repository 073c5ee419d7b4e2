using Orleans.Concurrency;

namespace Geo.Orleans.Tests.Features.Grains;

[StatelessWorker]
public sealed class Teller : Grain, ITeller
{
    public Task Transfer(string from, string to, int amount) =>
        Task.WhenAll(GrainFactory.GetGrain<IAccount>(from).Add(-amount), GrainFactory.GetGrain<IAccount>(to).Add(amount));
}
