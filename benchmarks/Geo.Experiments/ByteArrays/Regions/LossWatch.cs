using System.Diagnostics;
using System.Globalization;
using ByteArraySample;

namespace Geo.Experiments.ByteArrays;

/// <summary>
/// Calls arrays of both modes all the time, and keeps when they are answered anew or refused. The instances of the region that is lost hold
/// a mark; one without it is another instance.
/// </summary>
/// <param name="find">An array of the region by key and class.</param>
internal sealed class LossWatch(Func<string, string, IByteArray> find)
{
    private const byte Mark = 1;
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private IByteArray[] _optimistic = [];
    private IByteArray[] _pessimistic = [];
    private Task<long[]> _times = Task.FromResult<long[]>([]);

    /// <summary>Marks the instances that this region gets, and calls them until the process ends.</summary>
    public async Task OwnAsync(int arrays)
    {
        Find(arrays);
        await Task.WhenAll(_optimistic.Concat(_pessimistic).Select(array => AnsweredAsync(async () =>
        {
            await array.Update(0, [.. Enumerable.Repeat(Mark, Arrays.Part)], isConfirmed: true);
            return true;
        })));
        foreach (var array in _optimistic.Concat(_pessimistic))
        {
            _ = UntilAsync(array, _ => false, isRefusal: false, limit: null);
        }
    }

    /// <summary>Finds each array in the other region, and calls it from then on.</summary>
    /// <exception cref="InvalidOperationException">One is not there.</exception>
    public async Task WatchAsync(int arrays)
    {
        Find(arrays);
        var parts = await Task.WhenAll(
            _optimistic.Concat(_pessimistic).Select(array => AnsweredAsync(() => array.Read(0, isLatest: false))));
        if (!parts.All(IsMarked))
        {
            throw new InvalidOperationException("An array is not in the region that is to be lost.");
        }

        // On the pool: the loops of hundreds of arrays are the load.
        _times = Task.WhenAll(
        [
            .. _optimistic.Select(array => Task.Run(() => UntilAsync(array, part => !IsMarked(part), isRefusal: false, Patience))),
            .. _pessimistic.Select(array => Task.Run(() => UntilAsync(array, MustBeMarked, isRefusal: true, Patience))),
        ]);
    }

    /// <summary>
    /// When each optimistic array answered anew, then when each pessimistic one was refused first, as timestamps of
    /// <see cref="Stopwatch"/>, which the processes of a machine share.
    /// </summary>
    /// <exception cref="TimeoutException">One was neither within 60 s.</exception>
    /// <exception cref="InvalidOperationException">A pessimistic array answered anew, or answers again.</exception>
    public async Task<long[]> TellAsync()
    {
        var times = await _times;

        // Still refused, now that all optimistic ones have been given up.
        await Task.WhenAll(_pessimistic.Select(async array =>
        {
            try
            {
                await array.Read(0, isLatest: false);
            }
            catch (GeoUnavailableException)
            {
                return;
            }

            throw new InvalidOperationException("A pessimistic array answers although its region is lost.");
        }));
        return times;
    }

    /// <summary>
    /// The answer of a call that may be refused for a while, before the loss: a machine that is short of time takes its links for dead.
    /// </summary>
    private static async Task<T> AnsweredAsync<T>(Func<Task<T>> call)
    {
        var began = Stopwatch.GetTimestamp();
        while (true)
        {
            try
            {
                return await call();
            }
            catch (GeoException) when (Stopwatch.GetElapsedTime(began) < Patience)
            {
                await Task.Delay(Pause);
            }
        }
    }

    private static bool IsMarked(byte[] part) => part[0] == Mark;

    private static bool MustBeMarked(byte[] part) =>
        IsMarked(part) ? false : throw new InvalidOperationException("A pessimistic array answered in the other region.");

    private static async Task<long> UntilAsync(IByteArray array, Func<byte[], bool> isSo, bool isRefusal, TimeSpan? limit)
    {
        var began = Stopwatch.GetTimestamp();
        while (limit is null || Stopwatch.GetElapsedTime(began) < limit)
        {
            try
            {
                if (isSo(await array.Read(0, isLatest: false)))
                {
                    return Stopwatch.GetTimestamp();
                }
            }
            catch (GeoUnavailableException) when (isRefusal)
            {
                return Stopwatch.GetTimestamp();
            }
            catch (GeoException)
            {
                // Refused, or cut off: how long that lasts is measured.
            }

            await Task.Delay(Pause);
        }

        throw new TimeoutException($"An array has neither answered anew nor been refused within {limit}.");
    }

    private void Find(int arrays)
    {
        _optimistic = Of<BasicVolatileArray>();
        _pessimistic = Of<CautiousArray>();

        IByteArray[] Of<TArray>()
            where TArray : IByteArray =>
            [.. Enumerable.Range(0, arrays).Select(i => find(i.ToString(CultureInfo.InvariantCulture), Arrays.Prefix<TArray>()))];
    }
}
