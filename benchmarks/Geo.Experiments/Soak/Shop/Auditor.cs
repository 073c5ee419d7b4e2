namespace Geo.Experiments.Soak.Shop;

/// <summary>
/// Reads one article after another, through one region after the other, and compares what it finds with what customers had been told
/// before: an order that is lost, or stock that is oversold, for a while only is noticed too.
/// </summary>
/// <param name="regions">Each region's name, and how an article is found through it.</param>
/// <param name="customers">Who orders.</param>
/// <param name="tally">Told of what is wrong.</param>
/// <param name="time">The clock of the pauses.</param>
internal sealed class Auditor(
    IReadOnlyList<(string Name, Func<int, IStock> Stock)> regions, IReadOnlyList<Customer> customers, SoakTally tally, TimeProvider time)
{
    private static readonly TimeSpan LookAgainAfter = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan TryAgainAfter = TimeSpan.FromMilliseconds(100);

    /// <summary>Reads until the stop.</summary>
    public async Task RunAsync(CancellationToken stop)
    {
        for (var read = 0; !stop.IsCancellationRequested; read++)
        {
            // Both regions come to all articles, whether the number of the articles is even or not.
            var region = regions[read % regions.Count];
            await LookAsync(region.Name, region.Stock, read / regions.Count % Articles.Count, stop);
            await Task.Delay(LookAgainAfter, time, stop)
                .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext);
        }
    }

    /// <summary>Compares all articles, read through one region, when nobody orders any more.</summary>
    /// <param name="region">The region's index.</param>
    /// <param name="when">What messages say of the time.</param>
    /// <param name="end">Ends the wait for books that cannot be read.</param>
    public async Task CheckAllAsync(int region, string when, CancellationToken end)
    {
        var (name, stock) = regions[region];
        for (var article = 0; article < Articles.Count; article++)
        {
            if (await ReadAsync(stock(article), end) is not { } books)
            {
                tally.Violated($"{name}, {when}: article {article} could not be read in time; the books are not compared from there on");
                return;
            }

            tally.Compared();
            Tell(Books.Check($"{name}, {when}: article {article}", books, Statements(article)));
        }
    }

    private async Task LookAsync(string region, Func<int, IStock> stock, int article, CancellationToken stop)
    {
        var before = Statements(article);
        try
        {
            var books = await stock(article).Read().WaitAsync(stop);
            tally.Audited();
            Tell(Books.CheckMeanwhile($"{region}: article {article}", books, before));
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            // The run is over.
        }
#pragma warning disable CA1031 // Whatever it is, the article was not read; the tally knows what may come.
        catch (Exception error)
#pragma warning restore CA1031
        {
            tally.Repeated(error);
        }
    }

    /// <returns>Null where the time is over.</returns>
    private async Task<StockState?> ReadAsync(IStock stock, CancellationToken end)
    {
        while (!end.IsCancellationRequested)
        {
            try
            {
                return await stock.Read().WaitAsync(end);
            }
            catch (OperationCanceledException) when (end.IsCancellationRequested)
            {
                break;
            }
#pragma warning disable CA1031 // Whatever it is, the article was not read; the tally knows what may come.
            catch (Exception error)
#pragma warning restore CA1031
            {
                tally.Repeated(error);
                await Task.Delay(TryAgainAfter, time, end)
                    .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext);
            }
        }

        return null;
    }

    private Dictionary<string, Statement> Statements(int article) =>
        customers.ToDictionary(customer => customer.Name, customer => customer.StatementOf(article));

    private void Tell(IEnumerable<string> violations)
    {
        foreach (var violation in violations)
        {
            tally.Violated(violation);
        }
    }
}
