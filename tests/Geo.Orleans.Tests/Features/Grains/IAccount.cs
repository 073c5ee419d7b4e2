namespace Geo.Orleans.Tests.Features.Grains;

/// <summary>An ordinary grain with transactional state.</summary>
public interface IAccount : IGrainWithStringKey
{
    [Transaction(TransactionOption.Join)]
    Task Add(int amount);

    [Transaction(TransactionOption.CreateOrJoin)]
    Task<int> Balance();
}
