namespace Geo.Orleans.Tests.Features.Grains;

/// <summary>An ordinary grain that moves an amount in one transaction.</summary>
public interface ITeller : IGrainWithStringKey
{
    [Transaction(TransactionOption.Create)]
    Task Transfer(string from, string to, int amount);
}
