using Orleans.Concurrency;
using Orleans.Transactions.Abstractions;

namespace Geo.Orleans.Tests.Features.Grains;

[Reentrant]
public sealed class Account([TransactionalState("balance")] ITransactionalState<KeptState> balance) : Grain, IAccount
{
    public Task Add(int amount) => balance.PerformUpdate(state => state.Sum += amount);

    public Task<int> Balance() => balance.PerformRead(state => state.Sum);
}
