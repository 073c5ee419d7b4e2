using System.Diagnostics;
using Geo.Embedded;

namespace Geo.Experiments.Soak.Shop;

/// <summary>
/// Orders without end, one article at a time, and repeats an order until it hears that it is decided. Knows at any time what the books must
/// say, and looks at each answer.
/// </summary>
internal sealed class Customer(string name, IGrainFactory grains, Random choices, SoakTally tally)
{
    private const int MostOfAnOrder = 4;
    private const int SupplyOf = 30;
    private static readonly TimeSpan ThinkTime = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan RepeatAfter = TimeSpan.FromMilliseconds(200);

    private readonly Account[] _told = [.. Enumerable.Repeat(Account.New, Articles.Count)];
    private readonly bool[] _foundTooLittle = new bool[Articles.Count];
    private long _began;

    public string Name => name;

    /// <summary>How long the order that is under way has been waiting for its decision.</summary>
    public TimeSpan Waiting => Interlocked.Read(ref _began) is var began and not 0 ? Stopwatch.GetElapsedTime(began) : TimeSpan.Zero;

    /// <summary>What the customer was told of an article.</summary>
    public Account Told(int article) => _told[article];

    /// <summary>Orders until the stop, and waits for the decision of the last order.</summary>
    public async Task RunAsync(CancellationToken stop, CancellationToken giveUp)
    {
        while (!stop.IsCancellationRequested)
        {
            var article = choices.Next(Articles.Count);
            var isSupply = _foundTooLittle[article];
            var order = new Order(
                name, _told[article].Number + 1, isSupply ? SupplyOf : 1 + choices.Next(MostOfAnOrder), isSupply);
            Interlocked.Exchange(ref _began, Stopwatch.GetTimestamp());
            var account = await DecidedAsync(article, order, giveUp);
            tally.Waited(Waiting);
            Interlocked.Exchange(ref _began, 0);
            Check(article, order, account);
            await Task.Delay(ThinkTime, stop).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    private async Task<Account> DecidedAsync(int article, Order order, CancellationToken giveUp)
    {
        while (true)
        {
            try
            {
                return await Articles.Of(grains, article).Place(order).WaitAsync(giveUp);
            }
            catch (GeoException error)
            {
                tally.Repeated(error);
                await Task.Delay(RepeatAfter, giveUp);
            }
        }
    }

    private void Check(int article, Order order, Account account)
    {
        var expected = _told[article].After(order, account.IsDone);
        if (account != expected)
        {
            tally.Violated($"{name}'s {order} of article {article} was answered with {account}; by what was answered before: {expected}");
        }

        _told[article] = account;
        _foundTooLittle[article] = !order.IsSupply && !account.IsDone;
        tally.Decided(order, account.IsDone);
    }
}
