using System.Buffers;
using System.Buffers.Binary;
using BenchmarkDotNet.Attributes;
using Geo.Consistency;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Benchmarks;

/// <summary>Local operations on a view over a store in memory: the goal is 2 us and 300 B each.</summary>
[InProcess]
[MemoryDiagnoser]
public class ViewBenchmarks
{
    private const int Batch = 1_000;

    private readonly TaskScheduler _turns = new ConcurrentExclusiveSchedulerPair().ExclusiveScheduler;
    private IVersionedView<Total, long> _view = null!;

    [GlobalSetup]
    public void SetUp()
    {
        var store = new InMemoryConditionalStore();
        var declaration = new GrainDeclaration(
            Instancing.GlobalSingle, SingleInstanceMode.Optimistic, ViewProtocol.BatchedCas, null, default);
        var services = new ViewServices(
            new TotalSerializer(), _ => store, TimeProvider.System, Random.Shared, NullLoggerFactory.Instance);
        Run(async () =>
        {
            _view = VersionedViews.Create(new ViewContext<Total, long>(
                declaration, new GrainKey("total", "1"), new TotalModel(), new UnreplicatedLink(new ClusterId("here")), services));
            _view.Start();
            _view.Enqueue(1);
            await _view.RefreshAsync();
        });
    }

    [Benchmark(OperationsPerInvoke = Batch)]
    public long Read() => Run(() =>
    {
        var sum = 0L;
        for (var i = 0; i < Batch; i++)
        {
            sum += _view.Confirmed.Sum + _view.Version;
        }

        return Task.FromResult(sum);
    });

    [Benchmark(OperationsPerInvoke = Batch)]
    public long ReadTentative() => Run(() =>
    {
        var sum = 0L;
        for (var i = 0; i < Batch; i++)
        {
            sum += _view.Tentative.Sum;
        }

        return Task.FromResult(sum);
    });

    [Benchmark(OperationsPerInvoke = Batch)]
    public long ReadWithVersionAndAge() => Run(async () =>
    {
        var sum = 0L;
        for (var i = 0; i < Batch; i++)
        {
            sum += (await _view.ReadAsync(total => total.Sum, ViewRead.Confirmed)).Value;
        }

        return sum;
    });

    /// <summary>With its part of the write that all of them share.</summary>
    [Benchmark(OperationsPerInvoke = Batch)]
    public long EnqueueAndConfirmTogether() => Run(async () =>
    {
        for (var i = 0; i < Batch; i++)
        {
            _view.Enqueue(1);
        }

        await _view.ConfirmAsync();
        return _view.Version;
    });

    private void Run(Func<Task> function) =>
        Task.Factory.StartNew(function, CancellationToken.None, TaskCreationOptions.None, _turns).Unwrap().GetAwaiter().GetResult();

    private T Run<T>(Func<Task<T>> function) =>
        Task.Factory.StartNew(function, CancellationToken.None, TaskCreationOptions.None, _turns).Unwrap().GetAwaiter().GetResult();

    private sealed class Total
    {
        public long Sum { get; set; }
    }

    private sealed class TotalModel : IViewModel<Total, long>
    {
        public Total Create() => new();

        public Total Apply(Total state, long update)
        {
            state.Sum += update;
            return state;
        }
    }

    private sealed class TotalSerializer : IGeoSerializer
    {
        public void Serialize<T>(T value, IBufferWriter<byte> output)
        {
            BinaryPrimitives.WriteInt64LittleEndian(output.GetSpan(sizeof(long)), value is Total total ? total.Sum : (long)(object)value!);
            output.Advance(sizeof(long));
        }

        public T Deserialize<T>(ReadOnlySpan<byte> input)
        {
            var number = BinaryPrimitives.ReadInt64LittleEndian(input);
            return typeof(T) == typeof(Total) ? (T)(object)new Total { Sum = number } : (T)(object)number;
        }
    }
}
