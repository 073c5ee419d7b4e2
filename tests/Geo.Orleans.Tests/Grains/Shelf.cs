using Geo.Consistency.Lattices;

namespace Geo.Orleans.Tests.Grains;

[CoordinationFree(Replicas = 2)]
public sealed class Shelf(IGeoSilo silo) : LatticeGrain<Dotted<OrSet<string>>>, IShelf
{
    public Task Put(string item)
    {
        Update((items, origin) => items.Content.Add(origin.NextDot(), item));
        return Task.CompletedTask;
    }

    public Task PutSoon(string item) => Put(item);

    public Task KnownIn(int clusters) => KnownInAsync(clusters);

    public Task<string> Show() => Task.FromResult(string.Join(", ", State.Content.Order()));

    public Task<string> Where() => Task.FromResult(silo.Cluster.Name);

    public async Task<string> ShowInSession() =>
        await OpenSession().ReadAsync(Key, (Dotted<OrSet<string>> items) => string.Join(", ", items.Content.Order()));
}
