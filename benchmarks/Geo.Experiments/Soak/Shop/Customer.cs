namespace Geo.Experiments.Soak.Shop;

/// <summary>
/// Orders without end, one article at a time, and repeats an order until it hears that it is decided. Knows at any time what the books must
/// say, and looks at each answer.
/// </summary>
/// <param name="name">Who orders.</param>
/// <param name="stock">Finds the stock of an article.</param>
/// <param name="choices">Decides what is ordered.</param>
/// <param name="tally">Told of what the customer sees.</param>
/// <param name="time">The clock of the pauses.</param>
internal sealed class Customer(string name, Func<int, IStock> stock, Random choices, SoakTally tally, TimeProvider time)
{
    private const int MostOfAnOrder = 4;
    private const int SupplyOf = 30;
    private static readonly TimeSpan ThinkTime = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan RepeatAfter = TimeSpan.FromMilliseconds(200);

    private readonly Statement[] _statements = [.. Enumerable.Repeat(new Statement(Account.New), Articles.Count)];
    private readonly bool[] _foundTooLittle = new bool[Articles.Count];

    public string Name => name;

    /// <summary>True while an order waits for its decision.</summary>
    public bool IsWaiting => Enumerable.Range(0, Articles.Count).Any(article => StatementOf(article).Open is not null);

    /// <summary>What the customer knows of an article; an order is part of it before it is sent.</summary>
    public Statement StatementOf(int article) => Volatile.Read(ref _statements[article]);

    /// <summary>Orders until the stop, and waits for the decision of the last order until it gives up.</summary>
    public async Task RunAsync(CancellationToken stop, CancellationToken giveUp)
    {
        while (!stop.IsCancellationRequested)
        {
            var article = choices.Next(Articles.Count);
            var (isSupply, quantity) = (_foundTooLittle[article], 1 + choices.Next(MostOfAnOrder));
            var told = StatementOf(article).Told;
            var order = new Order(name, told.Number + 1, isSupply ? SupplyOf : quantity, isSupply);
            Volatile.Write(ref _statements[article], new Statement(told, order));
            var began = time.GetTimestamp();
            if (await DecidedAsync(article, order, giveUp) is not { } account)
            {
                return;
            }

            tally.Waited(time.GetElapsedTime(began));
            Check(article, order, told, account);
            await PauseAsync(ThinkTime, stop);
        }
    }

    /// <returns>Null where the customer gave up.</returns>
    private async Task<Account?> DecidedAsync(int article, Order order, CancellationToken giveUp)
    {
        while (!giveUp.IsCancellationRequested)
        {
            try
            {
                return await stock(article).Place(order).WaitAsync(giveUp);
            }
            catch (OperationCanceledException) when (giveUp.IsCancellationRequested)
            {
                break;
            }
#pragma warning disable CA1031 // Whatever it is, the customer does not know whether the order was decided; the tally knows what may come.
            catch (Exception error)
#pragma warning restore CA1031
            {
                tally.Repeated(error);
                await PauseAsync(RepeatAfter, giveUp);
            }
        }

        return null;
    }

    private void Check(int article, Order order, Account told, Account account)
    {
        var expected = told.After(order, account.IsDone);
        if (account != expected)
        {
            tally.Violated($"{name}'s {order} of article {article} was answered with {account}; by what was answered before: {expected}");
        }

        Volatile.Write(ref _statements[article], new Statement(account));
        _foundTooLittle[article] = !order.IsSupply && !account.IsDone;
        tally.Decided(order, account.IsDone);
    }

    private async Task PauseAsync(TimeSpan pause, CancellationToken end) => await Task.Delay(pause, time, end)
        .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext);
}
