using Geo.Testing;

namespace Geo.Consistency.Tests.Kit;

/// <summary>What happens to one storage operation; a read of any trouble is simply not answered.</summary>
internal enum Fault
{
    /// <summary>Nothing: it is answered truthfully.</summary>
    None,

    /// <summary>Reported as a conflict although nothing stood in the way; not applied.</summary>
    NeedlessConflict,

    /// <summary>Not answered, and never applied.</summary>
    Lost,

    /// <summary>Not answered, yet applied.</summary>
    AppliedUnheard,

    /// <summary>Not answered, and taken up only right before the next operation of anybody, as conditional as it was.</summary>
    LateByOne,

    /// <summary>As <see cref="LateByOne"/>, before the second next operation.</summary>
    LateByTwo,

    /// <summary>As <see cref="LateByOne"/>, before the third next operation.</summary>
    LateByThree,
}

/// <summary>
/// A store that does to its n-th operation what a script says. Each operation takes 4 ms, unless told otherwise, and takes effect in the
/// middle.
/// </summary>
internal sealed class ScriptedStore(VirtualTime time) : IConditionalStore
{
    private readonly List<(int Before, Func<ValueTask<StoreWrite>> Write)> _late = [];
    private int _inFlight;

    public InMemoryConditionalStore Inner { get; set; } = new();

    /// <summary>Half of the time that an operation takes.</summary>
    public TimeSpan Half { get; set; } = TimeSpan.FromMilliseconds(2);

    /// <summary>The fault of each operation by its number from 0; none where it says nothing.</summary>
    public Dictionary<int, Fault> Script { get; } = [];

    public int Operations { get; private set; }

    public int Reads { get; private set; }

    public int Writes { get; private set; }

    public int MostInFlight { get; private set; }

    /// <summary>When set, every operation waits for it before it takes effect.</summary>
    public TaskCompletionSource? Gate { get; set; }

    public bool IsUnreachable { get; set; }

    /// <summary>When set, every write is refused by it.</summary>
    public GeoStorageException? Refusal { get; set; }

    public async ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default)
    {
        Reads++;
        var fault = await BeginAsync();
        var read = await Inner.ReadAsync(key, CancellationToken.None);
        await EndAsync();
        return fault is Fault.None or Fault.NeedlessConflict ? read : StoreRead.Unknown("scripted");
    }

    public async ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default)
    {
        Writes++;
        if (Refusal is { } refusal)
        {
            throw refusal;
        }

        var number = Operations;
        var fault = await BeginAsync();
        var bytes = value.ToArray();
        var write = () => Inner.WriteAsync(key, bytes, expected, CancellationToken.None);
        var outcome = StoreWrite.Unknown("scripted");
        switch (fault)
        {
            case Fault.None:
                outcome = await write();
                break;
            case Fault.NeedlessConflict:
                outcome = StoreWrite.Conflict;
                break;
            case Fault.AppliedUnheard:
                await write();
                break;
            case Fault.LateByOne or Fault.LateByTwo or Fault.LateByThree:
                _late.Add((number + 1 + (fault - Fault.LateByOne), write));
                break;
        }

        await EndAsync();
        return outcome;
    }

    public ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default) =>
        Inner.DeleteAsync(key, expected, cancellationToken);

    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
        Inner.ListAsync(prefix, cancellationToken);

    /// <summary>Lets everything that is still late arrive.</summary>
    public async Task FlushAsync()
    {
        foreach (var (_, write) in _late)
        {
            await write();
        }

        _late.Clear();
    }

    private async Task<Fault> BeginAsync()
    {
        var number = Operations++;
        MostInFlight = Math.Max(MostInFlight, ++_inFlight);
        await Task.Delay(Half, time);
        if (Gate is { } gate)
        {
            await gate.Task;
        }

        foreach (var late in _late.Where(l => l.Before <= number).ToArray())
        {
            _late.Remove(late);
            await late.Write();
        }

        return IsUnreachable ? Fault.Lost : Script.GetValueOrDefault(number);
    }

    private async Task EndAsync()
    {
        await Task.Delay(Half, time);
        _inFlight--;
    }
}
