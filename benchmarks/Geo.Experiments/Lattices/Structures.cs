using Geo.Consistency.Lattices;
using Geo.Experiments.Lattices.Redis;

namespace Geo.Experiments.Lattices;

/// <summary>Every structure of the comparison for one kind of value: the same work an operation.</summary>
/// <param name="Name">The kind of value.</param>
/// <param name="Plain">What lattices are compared with, by name, for a number of threads.</param>
/// <param name="Lattice">Lattices, for a number of threads and replicas.</param>
/// <param name="Value">What an update writes; null where it adds one.</param>
internal sealed record Structures(
    string Name, IReadOnlyList<(string Name, Func<int, IKeyed> Make)> Plain, Func<int, int, IKeyed> Lattice, byte[]? Value)
{
    private const int Pipelined = 64;

    private static readonly byte[] Source = new byte[Block.Size];

    /// <summary>A word that the last writer wins, a counter, and a block of 1 KB that is copied.</summary>
    public static IReadOnlyList<Structures> All { get; } = [Words(), Counters(), Blocks()];

    /// <summary>The same beside a Redis server, a command a round trip and pipelined.</summary>
    public Structures With(RedisServer server) => this with
    {
        Plain =
        [
            .. Plain,
            ("Redis", threads => new RedisKeys(server, threads, 1, Value)),
            ($"Redis, {Pipelined} commands at once", threads => new RedisKeys(server, threads, Pipelined, Value)),
        ],
    };

    private static Structures Words() => new(
        "8 B register", PlainOf<long>(last => last + 1, v => v),
        (threads, replicas) => new Replicas<LwwRegister<long>>(
            threads, replicas, static (s, o) => LwwRegister<long>.Of(o.NextStamp(), s.HasValue ? s.Value + 1 : 1),
            s => s.HasValue ? s.Value : 0, isSum: false),
        new byte[sizeof(long)]);

    private static Structures Counters() => new(
        "counter", PlainOf<long>(last => last + 1, v => v),
        (threads, replicas) => new Replicas<PnCounter>(
            threads, replicas, static (s, o) => s.Add(o.Source, 1), s => s.Value, isSum: true),
        Value: null);

    private static Structures Blocks()
    {
        ValueCodecs.Register(new Block.Codec());
        return new(
            "1 KB register", PlainOf<Block>(_ => Block.CopyOf(Source), v => v.Bytes.Length),
            (threads, replicas) => new Replicas<LwwRegister<Block>>(
                threads, replicas, static (_, o) => LwwRegister<Block>.Of(o.NextStamp(), Block.CopyOf(Source)),
                s => s.HasValue ? s.Value.Bytes.Length : 0, isSum: false),
            Source);
    }

    private static IReadOnlyList<(string Name, Func<int, IKeyed> Make)> PlainOf<T>(Func<T?, T> next, Func<T, long> value) =>
    [
        ("lock + Dictionary", _ => Dictionaries.Locked(next, value)),
        ("ConcurrentDictionary", _ => Dictionaries.Concurrent(next, value)),
        ("a Dictionary a thread (not shared)", threads => Dictionaries.Apart(threads, next, value)),
    ];
}
