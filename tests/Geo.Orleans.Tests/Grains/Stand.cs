using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using Geo.Consistency;
using Geo.Consistency.Lattices;

namespace Geo.Orleans.Tests.Grains;

[CoordinationFree(PerSilo = 2, Level = ConsistencyLevel.Causal)]
public sealed class Stand : LatticeGrain<Pair<PnCounter, LwwRegister<string>>>, IStand
{
    private readonly string _name = Guid.NewGuid().ToString();

    /// <summary>By name: how many are inside, and what opens it. All silos of a test are in one process.</summary>
    public static ConcurrentDictionary<string, (StrongBox<int> Inside, TaskCompletionSource Opened)> Gates { get; } = new();

    public static (StrongBox<int> Inside, TaskCompletionSource Opened) Gate(string name) => Gates.GetOrAdd(
        name, static _ => (new(0), new(TaskCreationOptions.RunContinuationsAsynchronously)));

    public async Task<string[]> EnterAndWait(string gate)
    {
        Update((state, origin) => new(state.First.Add(origin.Source, 1), LwwRegister<string>.Bottom));
        var (inside, opened) = Gate(gate);
        Interlocked.Increment(ref inside.Value);
        await opened.Task;
        return [RuntimeIdentity, _name];
    }

    public Task<long> Visitors() => Task.FromResult(State.First.Value);

    public async Task<SessionToken> Note(string text)
    {
        var session = OpenSession();
        await session.UpdateAsync(
            Key,
            (Pair<PnCounter, LwwRegister<string>> _, LatticeOrigin origin) =>
                new(PnCounter.Bottom, LwwRegister<string>.Of(origin.NextStamp(), text)));
        return session.Token;
    }

    public async Task<string[]> ReadNote() => [
        await OpenSession().ReadAsync(Key, (Pair<PnCounter, LwwRegister<string>> s) => s.Second.HasValue ? s.Second.Value : ""),
        RuntimeIdentity];
}
