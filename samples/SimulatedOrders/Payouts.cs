namespace SimulatedOrders;

public interface IPayouts : IGrainWithStringKey
{
    /// <summary>Pays more; the sum of all is in the table when this returns it.</summary>
    Task<int> Pay(int amount);
}

/// <summary>
/// One instance in the world, which keeps a sum in a table of its own choice. Its writes carry the epoch of its tenancy, so that an
/// instance that stood still while another one took its place writes nothing more.
/// </summary>
[GlobalSingleInstance(SingleInstanceMode.Quorum)]
public sealed class Payouts(PayoutTable table) : Grain, IPayouts
{
    public async Task<int> Pay(int amount)
    {
        var paid = await table.ReadAsync() + amount;
        await SimulationPoint.ReachedAsync("about to pay");
        await table.WriteAsync(paid, this.GetTenancyEpoch());
        return paid;
    }
}

/// <summary>Stands for a table outside of Geo, such as one in a database, with a column for the epoch of whoever wrote last.</summary>
/// <param name="isFenced">False for a table that lets everybody write.</param>
public sealed class PayoutTable(bool isFenced)
{
    private (int Paid, long Epoch) _row;

    public Task<int> ReadAsync() => Task.FromResult(_row.Paid);

    /// <summary><c>UPDATE payouts SET paid = @paid, epoch = @epoch WHERE epoch &lt;= @epoch</c></summary>
    public Task WriteAsync(int paid, long epoch)
    {
        if (isFenced && epoch < _row.Epoch)
        {
            throw new GeoUnavailableException($"Epoch {epoch} is over: {_row.Epoch} has written.");
        }

        _row = (paid, epoch);
        return Task.CompletedTask;
    }
}
