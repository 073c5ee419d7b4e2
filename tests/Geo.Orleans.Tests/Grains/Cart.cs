using Geo.Consistency.Lattices;

namespace Geo.Orleans.Tests.Grains;

[CoordinationFree]
public sealed class Cart : LatticeGrain<Dotted<OrMap<string, DotCounter>>>, ICart
{
    public Task Add(string item, int amount)
    {
        Update((cart, origin) => cart.Content.Update(item, n => n.Add(origin.NextDot(), amount)));
        return Task.CompletedTask;
    }

    public Task Remove(string item)
    {
        Update((cart, origin) => cart.Content.Remove(origin.NextDot(), item));
        return Task.CompletedTask;
    }

    public Task KnownIn(int clusters) => KnownInAsync(clusters);

    public Task<string> Show() => Task.FromResult(string.Join(", ", State.Content.Select(e => $"{e.Value.Value} {e.Key}")));

    public Task End()
    {
        DeactivateOnIdle();
        return Task.CompletedTask;
    }
}
