namespace Geo.Experiments.Soak.Shop;

/// <summary>The books of an article; as large as there are customers, however long the run.</summary>
[GenerateSerializer]
public sealed class StockState
{
    /// <summary>What is left; never negative.</summary>
    [Id(0)]
    public long Left { get; set; }

    /// <summary>By customer.</summary>
    [Id(1)]
    public Dictionary<string, Account> Accounts { get; set; } = [];

    /// <summary>Decides an order that was not decided yet.</summary>
    public void Apply(Order order)
    {
        ArgumentNullException.ThrowIfNull(order);
        var account = AccountOf(order.Customer);
        if (order.Number <= account.Number)
        {
            return;
        }

        var isDone = order.IsSupply || order.Quantity <= Left;
        if (isDone)
        {
            Left += order.IsSupply ? order.Quantity : -order.Quantity;
        }

        Accounts[order.Customer] = account.After(order, isDone);
    }

    /// <summary>The state as it is now, whatever is applied to this one later.</summary>
    public StockState Copy() => new() { Left = Left, Accounts = new Dictionary<string, Account>(Accounts) };

    public Account AccountOf(string customer) => Accounts.GetValueOrDefault(customer, Account.New);
}
