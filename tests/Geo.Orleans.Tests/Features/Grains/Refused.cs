// Single-instance classes with which no silo starts, side by side. Abstract, so that no silo serves them unasked (see Concrete).
using Geo.Orleans.Tests.Grains;
using Orleans.Concurrency;
using Orleans.DurableJobs;
using Orleans.EventSourcing;
using Orleans.GrainDirectory;
using Orleans.Journaling;
using Orleans.Providers;
using Orleans.Transactions.Abstractions;

namespace Geo.Orleans.Tests.Features.Grains;

[GlobalSingleInstance]
public abstract class WithReminder : Grain, IGrainWithStringKey, IRemindable
{
    public Task ReceiveReminder(string reminderName, TickStatus status) => Task.CompletedTask;
}

[GlobalSingleInstance, ImplicitStreamSubscription("news")]
public abstract class WithStream : Grain, IGrainWithStringKey;

[GlobalSingleInstance, RegexImplicitStreamSubscription("news.*")]
public abstract class WithStreams : Grain, IGrainWithStringKey;

[GlobalSingleInstance]
public abstract class WithTransaction : Grain, IAccount
{
    public Task Add(int amount) => Task.CompletedTask;

    public Task<int> Balance() => Task.FromResult(0);
}

[GlobalSingleInstance]
public abstract class WithTransactionalState(
    [TransactionalState("balance")] ITransactionalState<KeptState> balance) : Grain, IGrainWithStringKey
{
    public ITransactionalState<KeptState> Balance => balance;
}

[GlobalSingleInstance]
public abstract class WithNoTime : Grain, IHurried
{
    public Task Hurry() => Task.CompletedTask;
}

[GlobalSingleInstance, GrainDirectory("own")]
public abstract class WithDirectory : Grain, IGrainWithStringKey;

[GlobalSingleInstance, StatelessWorker]
public abstract class WithWorkers : Grain, IGrainWithStringKey;

[GlobalSingleInstance]
public abstract class WithDurableState(IDurableStandIn counts) : Grain, IGrainWithStringKey
{
    public IDurableStandIn Counts => counts;
}

[GlobalSingleInstance]
public abstract class WithDurableJob : Grain, IGrainWithStringKey, IDurableJobHandler;

[GlobalSingleInstance, LogConsistencyProvider(ProviderName = "journal"), StorageProvider(ProviderName = KeepsLocal.OwnStorage)]
public abstract class WithOrleansJournal : JournaledGrain<TallyState, Added>, IGrainWithStringKey;
